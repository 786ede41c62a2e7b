// The blocks of threads that calls of brgemm_mma are made for, and which one a call's shape wants.
#pragma once
#include <type_traits>

#include "brgemm_mma.hpp"

namespace brickwork {

template <class T>
inline constexpr int kMmaStages = sizeof(T) == 2 ? 4 : 3;

// Of eight warps, for calls with many rows: with bf16 two blocks and more fit a multiprocessor, its registers as well.
template <class T, bool a_transposed = false>
using WideMmaTile = MmaTile<T, 128, 128, 32, 2, 4, kMmaStages<T>, a_transposed>;
template <class T, bool a_transposed = false>
using NarrowMmaTile = MmaTile<T, 128, 64, 32, 4, 2, kMmaStages<T>, a_transposed>;
// Of four, for few rows, as an output row of a convolution has.
template <class T, bool a_transposed = false>
using LowMmaTile = MmaTile<T, 32, 128, 32, 2, 2, kMmaStages<T>, a_transposed>;
template <class T, bool a_transposed = false>
using LowNarrowMmaTile = MmaTile<T, 32, 64, 32, 2, 2, kMmaStages<T>, a_transposed>;

// with(std::type_identity<Tile>()): high where no more than an eighth more rows would be computed.
template <class T, bool a_transposed, class With>
void for_mma_tile(const BrgemmShape& shape, const With& with) {
  const auto padded = [&](int rows) { return (shape.m + rows - 1) / rows * rows; };
  const bool high = 8 * padded(128) <= 9 * padded(32), wide = shape.n > 64;
  if (high && wide) return with(std::type_identity<WideMmaTile<T, a_transposed>>());
  if (high) return with(std::type_identity<NarrowMmaTile<T, a_transposed>>());
  if (wide) return with(std::type_identity<LowMmaTile<T, a_transposed>>());
  return with(std::type_identity<LowNarrowMmaTile<T, a_transposed>>());
}

}  // namespace brickwork
