// Steps of the softmax of a row, with the vectors of this machine.
#pragma once
#include <cstddef>

#include "kernels/layout/sweep.hpp"

namespace brickwork {

float row_max(const float* x, std::size_t size);

// For a part of a row, short enough for a sum in f32: the sum of exp(x - max); if e is not null, it gets these
// exponentials. max_behind is the largest of as many floats at `behind`, which is in the next row.
struct RowPart {
  float sum, max_behind;
};
RowPart row_exp(const float* x, float max, float* e, std::size_t size, const float* behind, Sweep);

// to = from * scale; `to` may be `from`.
void scale_row(const float* from, float scale, float* to, std::size_t size, bool stream);

}  // namespace brickwork
