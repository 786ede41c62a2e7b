// Bounds for the errors of operations in f32 that are no plain sums of products.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "primitives/op/plain_tensors.hpp"

namespace brickwork {

// The error of sums of `terms` products in f32, which grows with the square root, and of curves that are right to some
// ulps. oneDNN's errors in recurrent layers are within a seventh of it.
inline double rounding(double terms) { return 2 * std::numeric_limits<float>::epsilon() * (16 + std::sqrt(terms)); }

// The error that the kink of a ReLU adds to gradients that are right to `error`. If the sum before a ReLU is within its
// error of 0, rounding decides whether a gradient passes. This happens to a share of all gradients that is as large as
// the error, and adds the square root of this share to the error.
inline double kink(double error) { return std::sqrt(error); }

// For a bound that holds for an output as a whole. All values of a small output may be sums that cancel out. Their
// rounding errors are large beside the result, so that an output of few `values` is allowed more.
inline void allow_for_few(TensorInfo& output, std::int64_t values, double bound) {
  constexpr std::int64_t kFew = 32;  // half of them may be zeros after a ReLU
  if (values < kFew) output.error = 63 * bound;
}

}  // namespace brickwork
