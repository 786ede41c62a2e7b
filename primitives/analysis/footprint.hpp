// The elements that calls of a nest touch, by closed forms. An axis occurs in one index of a tensor, so the elements of
// a tensor that all calls of a box touch are a product: one set of integers for each index.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "primitives/analysis/boxes.hpp"
#include "primitives/analysis/integer_set.hpp"

namespace brickwork {

// The product of the sets. Not empty.
using Product = std::vector<IntegerSet>;

// The number of elements that are in at least one of the products, which have equally many sets.
std::int64_t size_of_union(std::vector<Product> products);

// 128 bits hold the sums of any declaration's tensors.
struct DataSize {
  __int128 elements = 0, bytes = 0;
};

class Footprint {
 public:
  // The nest must outlive this object.
  explicit Footprint(const ScheduledNest&);

  // The calls with iterations of `range` of a loop that touch a tensor of the declaration: all, or the last of an
  // epilogue.
  LoopRange touching(int tensor, int loop, const LoopRange& range) const;

  // The values of an index of the tensor in calls that touch it. They stand for the values of the tensors of its name:
  // one to one, in ascending order.
  IntegerSet values(int tensor, std::size_t index, const Calls& touching) const;

  // The elements of the tensor that calls touch. nullopt: none.
  std::optional<Product> of(int tensor, const Calls&) const;

  // Distinct elements of all tensors; those of one name are one tensor.
  DataSize of(std::span<const Calls>) const;

  const ScheduledNest& nest() const { return nest_; }

  // An index whose values are taken one to one, as values() says.
  struct Term {
    int axis;
    std::int64_t factor;
    friend bool operator==(const Term&, const Term&) = default;
  };
  struct Index {
    std::vector<Term> terms;  // factors ascend
    std::int64_t offset;
    LoopRange within;  // values outside it are no elements
  };
  const std::vector<Index>& indices(int tensor) const { return indices_[static_cast<std::size_t>(tensor)]; }

  // The loops on which it depends what calls touch of the tensor.
  const std::array<bool, kMaxLoops>& loops_of(int tensor) const { return loops_[static_cast<std::size_t>(tensor)]; }

 private:
  void normalise(std::span<const int> tensors, std::size_t index);
  void note_loops(int tensor);
  // Whether the larger box touches all of the tensor that the smaller one touches, as far as loops tell.
  bool covers(const Calls& larger, const Calls& smaller, int tensor) const;

  const ScheduledNest& nest_;
  std::vector<std::vector<int>> same_name_;
  std::vector<std::vector<Index>> indices_;         // of each tensor
  std::vector<std::array<bool, kMaxLoops>> loops_;  // of each tensor
  Calls last_calls_;                                // of each loop
};

}  // namespace brickwork
