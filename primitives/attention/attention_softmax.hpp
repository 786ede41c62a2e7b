// The softmax of a tile of scores, and its gradient, with the vectors of this machine.
#pragma once
#include <cstdint>

namespace brickwork {

// A tile is [rows][width], where `width` is a multiple of 16. Each column has its own softmax, so that vectors need no
// sum over their lanes.

// x = softmax(scale * x)
void softmax_columns(float* x, std::int64_t rows, std::int64_t width, float scale);

// dx = scale * y * (dx - sum over the column of y * dx), where y is the softmax: the gradient of its input.
void softmax_columns_backward(const float* y, float* dx, std::int64_t rows, std::int64_t width, float scale);

}  // namespace brickwork
