// Addition of a residual, with or without ReLU, and its derivative, on the host. Arrays have any shape and alignment.
#pragma once
#include <cstdint>

#include "primitives/elementwise/elementwise_plan.hpp"

namespace brickwork {

// dst[i] = a[i] + b[i]; with `relu`, 0 if that is below 0. dst may be a or b.
void add(const float* a, const float* b, float* dst, std::int64_t size, bool relu, const ElementwisePlan&);

// dsrc[i] = ddst[i], or 0 where dst[i] <= 0; dsrc may be ddst or dst.
void relu_backward(const float* dst, const float* ddst, float* dsrc, std::int64_t size, const ElementwisePlan&);

}  // namespace brickwork
