// The problem of adding a residual.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/size_table.hpp"

namespace brickwork {

// dst = relu(a + b), or a + b. Only the number of elements counts, not the shape.
struct AddProblem {
  static const SizeTable<AddProblem>& table();  // "N28 E802816"; N defaults to 1; "none": without ReLU

  std::string name;
  std::int64_t N = 1, E = 0;  // images, elements of each
  bool relu = true;
  int count = 1;

  std::int64_t elements() const { return N * E; }

  void validate() const;  // throws std::invalid_argument with one sentence; sizes 1 .. 2^30
};

}  // namespace brickwork
