// The definition of a recursive cell in double: a plain recursion over each structure, from the roots to the leaves.
#pragma once
#include "primitives/op/plain_tensors.hpp"
#include "primitives/recursive/op/cell.hpp"

namespace brickwork {

// `in` and `out` have the tensors of recursive_ops.hpp, in f64: out the results.
void define_recursive_forward(const Cell&, std::int64_t H, const Forest&, const PlainTensors& in, PlainTensors& out);

// `in` has the upstream gradients as well; out gets the gradients.
void define_recursive_backward(const Cell&, std::int64_t H, const Forest&, const PlainTensors& in, PlainTensors& out);

}  // namespace brickwork
