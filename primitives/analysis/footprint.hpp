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

  // Elements of a tensor of the declaration. Integers stand for the indices of the tensors of its name: one to one, in
  // ascending order. nullopt: none.
  std::optional<Product> of(int tensor, const Calls&) const;

  // Distinct elements of all tensors; those of one name are one tensor.
  DataSize of(std::span<const Calls>) const;

  const ScheduledNest& nest() const { return nest_; }

  struct Term {
    int axis;
    std::int64_t factor;
    friend bool operator==(const Term&, const Term&) = default;
  };
  struct Index {
    std::vector<Term> terms;  // factors ascend
    std::int64_t offset;
    LoopRange within;
  };
  const std::vector<Index>& indices(int tensor) const { return indices_[static_cast<std::size_t>(tensor)]; }

 private:
  void normalise(std::span<const int> tensors, std::size_t index);

  const ScheduledNest& nest_;
  std::vector<std::vector<int>> same_name_;
  std::vector<std::vector<Index>> indices_;  // of each tensor
  Calls last_calls_;                         // of each loop
};

}  // namespace brickwork
