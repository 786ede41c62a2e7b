// Finite sets of integers, as intervals. Nearly all sets of an analysis are one interval.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

class IntegerSet {
 public:
  static constexpr std::size_t kMostIntervals = 1 << 16;

  // The multiples of `factor` by the integers of a range that is not empty.
  struct Term {
    std::int64_t factor;
    LoopRange range;
  };

  IntegerSet() = default;  // empty
  explicit IntegerSet(const LoopRange& interval) : one_(interval) {}

  // The sums of `offset` and one multiple of each term that lie within a range. Factors ascend. Throws
  // std::length_error if they fall into more than kMostIntervals intervals.
  static IntegerSet of_sums(std::int64_t offset, std::span<const Term> terms, const LoopRange& within);

  // Disjoint, not adjacent, not empty, ascending.
  std::span<const LoopRange> intervals() const {
    if (!many_.empty()) return many_;
    return {&one_, one_.size() > 0 ? std::size_t{1} : 0};
  }
  bool empty() const { return intervals().empty(); }
  std::int64_t size() const;
  bool meets(const IntegerSet&) const;
  bool contains(const IntegerSet&) const;
  friend bool operator==(const IntegerSet&, const IntegerSet&);

 private:
  explicit IntegerSet(std::vector<LoopRange> intervals);  // in any order
  void add_multiples(const Term&, const LoopRange& useful);
  void cut_to(const LoopRange& within);

  LoopRange one_;                // the only interval,
  std::vector<LoopRange> many_;  // or all of several
};

}  // namespace brickwork
