// Adds overlapping windows into a row, as col2im does.
#pragma once
#include <cstdint>

namespace brickwork {

// sum[i * step + j] += windows[i * ld + j] for i < m, j < n; step >= 1. Vectorised for the machine that it runs on.
void overlap_add(float* sum, std::int64_t step, const float* windows, std::int64_t ld, std::int64_t m, std::int64_t n);

}  // namespace brickwork
