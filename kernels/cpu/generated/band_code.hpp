// Machine code of a band of register tiles, for AVX-512 or AVX2; see generated_tiles.hpp. Only for builds with Xbyak.
#pragma once
#include <memory>

#include "kernels/cpu/generated/generated_tiles.hpp"
#include "kernels/cpu/simd/brgemm_simd.hpp"

namespace brickwork {

// Arguments of the generated code, which advances some of them from tile to tile. Pointers are for the first tile of
// the band.
struct BandArguments {
  const float *a, *b;  // for a batch of offsets: their bases
  float* c;
  const float *bias, *residual, *relu_at;  // relu_at: where relu's derivative is evaluated
  const std::uint64_t *offsets_a, *offsets_b;
  std::int64_t members, tiles;
  std::int64_t ldr, ldat, next_a;                         // bytes
  const LiveRows* live;                                   // null: all rows are live
  const char *next_line, *next_row_end, *next_lines_end;  // BrgemmCall::read_next; the first two advance
  std::int64_t next_row, ld_next;                         // bytes
  std::int64_t next_lines_a_turn;
  std::int64_t first_asks_for_b, others_ask_for_b, relu, stream;  // 0 or 1
};
static_assert(sizeof(LiveRows) == 1);

constexpr int kFloat = sizeof(float);  // bytes
constexpr int kMostTileRows = 28;
constexpr int kTurn = 4;  // steps over k between which prefetches happen now and then

// A member with at most this many FMAs (rows x vectors x steps over k) is unrolled completely. That saves 1 % of the
// time of ResNet-50's first layer (Emerald Rapids). The code must fit the core's cache of decoded instructions; on
// cores that have only AVX2 it does not: 5 x 16 with 64 steps fell from 80 to 54 GFLOP/s on Zen 2.
constexpr int fmas_unrolled(int lanes) { return lanes == 16 ? 640 : 0; }

struct TileSize {
  int rows, vecs;
  int lanes, last_lanes;  // of a vector (16 with AVX-512, 8 with AVX2) and of the last vector
};

struct BandCode {
  using Run = void (*)(BandArguments*);
  std::shared_ptr<const void> memory;  // owns the code
  Run run = nullptr;
};

// Distances within a tile and from one tile to the next must be below 2^31 bytes. Throws Xbyak::Error if the system
// gives no memory for code.
BandCode generate_band(const BrgemmShape&, const BrgemmHints&, TileSize);

}  // namespace brickwork
