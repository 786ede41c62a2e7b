// Windows that overlap, added up: the way back from columns to an image.
#pragma once
#include <cstdint>

namespace brickwork {

// sum[i * step + j] += windows[i * ld + j] for i < m, j < n; step >= 1. Vectorised for the machine it runs on.
void overlap_add(float* sum, std::int64_t step, const float* windows, std::int64_t ld, std::int64_t m, std::int64_t n);

}  // namespace brickwork
