// How exact f32 is for a cell over a forest, with weights that keep values near 1.
#pragma once
#include "primitives/op/plain_tensors.hpp"
#include "primitives/recursive/op/cell.hpp"

namespace brickwork::recursive_ops {

// Scales random inputs and weights in f64 so that states neither vanish nor explode over many levels.
void settle(const Cell&, std::int64_t H, PlainTensors& in);

// Allowed errors of states and of gradients after settle(), each of an output as a whole (compare.hpp). Over 300 random
// forests of each model the host's driver used at most a tenth of them in outputs of 32 values and more. Smaller
// outputs cancel out now and then: with one feature, a gradient of a single value used 12 times its bound.
double forward_bound(std::int64_t H);
double backward_bound(const Cell&, std::int64_t H, const Forest&);

std::int64_t terms(std::int64_t H);  // products in a sum, at most

// The outputs, of which those with few values are allowed more than `bound` (rounding.hpp).
std::vector<TensorInfo> allowing_for_few(std::vector<TensorInfo> outputs, double bound);

}  // namespace brickwork::recursive_ops
