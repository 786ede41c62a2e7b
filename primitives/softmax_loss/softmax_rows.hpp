// What softmax does to a row, with the vectors of the machine it runs on.
#pragma once
#include <cstddef>

namespace brickwork {

float row_max(const float* x, std::size_t size);

// The sum of exp(x - max), and where e is not null each of them.
double row_exp(const float* x, float max, float* e, std::size_t size);

// to = from * scale; `to` may be `from`.
void scale_row(const float* from, float scale, float* to, std::size_t size, bool stream);

}  // namespace brickwork
