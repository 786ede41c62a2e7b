// The tiles for which the GPU bricks are compiled, and the choice of one for a shape.
#pragma once
#include <type_traits>

#include "kernels/gpu/fma/brgemm_fma.hpp"
#include "kernels/gpu/mma/brgemm_mma.hpp"
#include "kernels/gpu/wgmma/brgemm_wgmma.hpp"

namespace brickwork {

template <class T>
inline constexpr int kMmaStages = sizeof(T) == 2 ? 4 : 3;

// Four warps with 64 x 64 sums each, for calls with many rows. Smaller parts would read more from shared memory than it
// can deliver.
template <class T, bool a_transposed = false>
using WideMmaTile = MmaTile<T, 128, 128, 32, 2, 2, kMmaStages<T>, a_transposed>;
template <class T, bool a_transposed = false>
using NarrowMmaTile = MmaTile<T, 128, 64, 32, 2, 2, kMmaStages<T>, a_transposed>;
// For few rows.
template <class T, bool a_transposed = false>
using LowMmaTile = MmaTile<T, 32, 128, 32, 1, 4, kMmaStages<T>, a_transposed>;
template <class T, bool a_transposed = false>
using LowNarrowMmaTile = MmaTile<T, 32, 64, 32, 2, 2, kMmaStages<T>, a_transposed>;

// Tiles in strict f32; all numbers are from an H100.
//
// Wide: 64 sums a lane, with two blocks on a multiprocessor, were faster than 128 sums a lane with one block.
//
// Square: three blocks are a tenth slower than two wide ones, but occupy more multiprocessors for small products: 1344
// x 1024 sums are 336 square tiles instead of 88 wide ones, and 1.44 times as fast. Four blocks would have 128
// registers a thread: in a driver's loops these leave none to prefetch operands, and everything took 1.25 times as
// long.
//
// Middle: one block with all registers is 1.13 to 1.18 times as fast as three square ones if nearly every
// multiprocessor gets a tile, and 6 % slower than two wide ones. Not for a transposed A: its threads would not copy
// whole rows.
//
// Low: with even fewer rows there is hardly more than one block per multiprocessor, so more warps share a tile's steps.
template <bool a_transposed = false>
using WideFmaTile = FmaTile<128, 128, 32, 4, 2, 1, 3, 2, a_transposed>;
using MiddleFmaTile = FmaTile<96, 128, 32, 2, 2, 2, 3, 1>;
template <bool a_transposed = false>
using SquareFmaTile = FmaTile<64, 64, 32, 2, 1, 2, 3, 3, a_transposed>;
template <bool a_transposed = false>
using LowFmaTile = FmaTile<32, 64, 64, 1, 2, 4, 3, 2, a_transposed>;

// For tensor cores: whether tiles of 128 rows compute at most an eighth more rows than tiles of 32.
inline bool wants_high_tile(const BrgemmShape& shape) {
  const auto padded = [&](int rows) { return (shape.m + rows - 1) / rows * rows; };
  return 8 * padded(128) <= 9 * padded(32);
}

// Calls with(std::type_identity<Tile>()) for the tile that suits the shape; multiply-adds.
template <bool a_transposed, class With>
void for_fma_tile(const BrgemmShape& shape, const With& with) {
  if (shape.m > 64 && shape.n > 64) {
    if constexpr (!a_transposed) {
      if (shape.m <= MiddleFmaTile::kM) return with(std::type_identity<MiddleFmaTile>());
    }
    return with(std::type_identity<WideFmaTile<a_transposed>>());
  }
  if (shape.m > 32) return with(std::type_identity<SquareFmaTile<a_transposed>>());
  return with(std::type_identity<LowFmaTile<a_transposed>>());
}

// Calls with(std::type_identity<Tile>()) for the tile that suits the shape; tensor cores by mma.sync.
template <class T, bool a_transposed, class With>
void for_mma_tile(const BrgemmShape& shape, const With& with) {
  const bool high = wants_high_tile(shape), wide = shape.n > 64;
  if (high && wide) return with(std::type_identity<WideMmaTile<T, a_transposed>>());
  if (high) return with(std::type_identity<NarrowMmaTile<T, a_transposed>>());
  if (wide) return with(std::type_identity<LowMmaTile<T, a_transposed>>());
  return with(std::type_identity<LowNarrowMmaTile<T, a_transposed>>());
}

// A tile of 256 columns reads the least per product; one block fits a multiprocessor. Two blocks of the others fit,
// wide ones with three stages; but only one with a transposed A, as the loops of a weight update need registers, too.
template <bool a_transposed = false>
using WidestWgmmaTile = WgmmaTile<128, 256, 64, 4, 1, a_transposed>;
template <bool a_transposed = false>
using WideWgmmaTile = WgmmaTile<128, 128, 64, a_transposed ? 4 : 3, a_transposed ? 1 : 2, a_transposed>;
template <bool a_transposed = false>
using NarrowWgmmaTile = WgmmaTile<128, 64, 64, 4, a_transposed ? 1 : 2, a_transposed>;

template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void brgemm_by_block(Block& block, const BrgemmShape& shape, const BrgemmCall& call) {
  if constexpr (requires { Tile::kGroupM; }) {
    brgemm_wgmma<Tile, TC>(block, shape, call);
  } else if constexpr (requires { Tile::kStepsOfWarp; }) {
    brgemm_fma<Tile, TC>(block, shape, call);
  } else {
    brgemm_mma<Tile, TC>(block, shape, call);
  }
}

template <bool a_transposed, class With>
void for_wgmma_tile(const BrgemmShape& shape, const With& with) {
  if (shape.n > 128) return with(std::type_identity<WidestWgmmaTile<a_transposed>>());
  if (shape.n > 64) return with(std::type_identity<WideWgmmaTile<a_transposed>>());
  return with(std::type_identity<NarrowWgmmaTile<a_transposed>>());
}

}  // namespace brickwork
