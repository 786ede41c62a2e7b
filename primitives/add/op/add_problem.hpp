// One addition of a residual.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/size_table.hpp"

namespace brickwork {

// dst = relu(a + b), or a + b, of tensors of any shape: all that counts is how many elements they have.
struct AddProblem {
  static const SizeTable<AddProblem>& table();  // "N28 E802816"; N defaults to 1; "none" is without the ReLU

  std::string name;
  std::int64_t N = 1, E = 0;  // images, elements of each
  bool relu = true;
  int count = 1;

  std::int64_t elements() const { return N * E; }

  void validate() const;  // throws std::invalid_argument with one sentence; sizes 1 .. 2^30
};

}  // namespace brickwork
