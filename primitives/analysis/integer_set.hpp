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

  IntegerSet() = default;  // empty
  explicit IntegerSet(const LoopRange& interval) : one_(interval) {}

  // Each integer plus each multiple of `factor` by an integer of the range, which is not empty. Throws
  // std::overflow_error for more than kMostIntervals intervals.
  void add_multiples(std::int64_t factor, const LoopRange& range);
  void cut_to(const LoopRange& within);

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

  LoopRange one_;                // the only interval,
  std::vector<LoopRange> many_;  // or all of several
};

}  // namespace brickwork
