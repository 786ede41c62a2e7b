// The blocks of threads that calls of brgemm_mma are made for: eight warps, of which two or more blocks fit a
// multiprocessor with bf16, and their sums its registers.
#pragma once
#include "brgemm_mma.hpp"

namespace brickwork {

// For calls with 128 columns and more, and for those with fewer.
template <class T, bool a_transposed = false>
using WideMmaTile = MmaTile<T, 128, 128, 32, 2, 4, sizeof(T) == 2 ? 4 : 3, a_transposed>;
template <class T, bool a_transposed = false>
using NarrowMmaTile = MmaTile<T, 128, 64, 32, 4, 2, sizeof(T) == 2 ? 4 : 3, a_transposed>;

}  // namespace brickwork
