// The work of a cell over a forest: operations of the products with matrices, a multiply-add as two. Products with the
// states of children that a node lacks are zero and do not count.
#pragma once
#include "primitives/recursive/op/cell.hpp"

namespace brickwork::recursive_ops {

double forward_flops(const Cell&, std::int64_t H, const Forest&);

// A product has two gradients, each as much work as the product itself: one for its row, if this depends on an input or
// a child, and one for its weight or matrix.
double backward_flops(const Cell&, std::int64_t H, const Forest&);

}  // namespace brickwork::recursive_ops
