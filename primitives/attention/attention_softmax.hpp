// What softmax does to a tile of scores, with the vectors of the machine it runs on.
#pragma once
#include <cstdint>

namespace brickwork {

// A tile is [rows][width], rows `width` floats long, a multiple of 16: of each column the softmax is its own, so that
// vectors need no sum over their lanes.

// x = softmax(scale * x)
void softmax_columns(float* x, std::int64_t rows, std::int64_t width, float scale);

// dx = scale * y * (dx - sum over the column of y * dx), y being what softmax gave: the gradient of what went into it.
void softmax_columns_backward(const float* y, float* dx, std::int64_t rows, std::int64_t width, float scale);

}  // namespace brickwork
