// What softmax does to a row, with the vectors of the machine it runs on.
#pragma once
#include <cstddef>

#include "kernels/layout/sweep.hpp"

namespace brickwork {

float row_max(const float* x, std::size_t size);

// The sum in f32 of exp(x - max), of a part of a row that is short enough for it, and where e is not null each of them;
// and meanwhile the largest of as many floats of the row behind.
struct RowPart {
  float sum, max_behind;
};
RowPart row_exp(const float* x, float max, float* e, std::size_t size, const float* behind, Sweep);

// to = from * scale; `to` may be `from`.
void scale_row(const float* from, float scale, float* to, std::size_t size, bool stream);

}  // namespace brickwork
