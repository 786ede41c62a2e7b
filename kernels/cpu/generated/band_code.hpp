// The machine code of a band of register tiles, for AVX-512 or AVX2: see generated_tiles.hpp. Only for builds with
// Xbyak.
#pragma once
#include <memory>

#include "kernels/cpu/generated/generated_tiles.hpp"
#include "kernels/cpu/simd/brgemm_simd.hpp"

namespace brickwork {

// What the code reads of a call, and changes from tile to tile. Pointers are to the first tile of the band.
struct BandArguments {
  const float *a, *b;  // where the batch has offsets: what they count from
  float* c;
  const float *bias, *residual, *relu_at;  // the last: where the derivative of relu is taken
  const std::uint64_t *offsets_a, *offsets_b;
  std::int64_t members, tiles;
  std::int64_t ldr, ldat, next_a;                         // bytes
  const LiveRows* live;                                   // null: all are
  const char *next_line, *next_row_end, *next_lines_end;  // what is read next; the former two count up
  std::int64_t next_row, ld_next;                         // bytes
  std::int64_t next_lines_a_turn;
  std::int64_t first_asks_for_b, others_ask_for_b, relu, stream;  // 0 or 1
};
static_assert(sizeof(LiveRows) == 1);

constexpr int kFloat = sizeof(float);  // bytes
constexpr int kMostTileRows = 28;
constexpr int kTurn = 4;  // steps between which something else is done now and then

// Steps of a member with at most so many FMAs (rows x vectors x steps over k) are all unrolled, with no loop: 1 % of
// ResNet-50's first layer (Emerald Rapids). What the core keeps of decoded instructions must hold it, which the cores
// that have AVX2 alone do not: 5 x 16 with 64 steps, 54 instead of 80 GFLOP/s on Zen 2.
constexpr int fmas_unrolled(int lanes) { return lanes == 16 ? 640 : 0; }

struct TileSize {
  int rows, vecs;
  int lanes, last_lanes;  // of a vector, of which AVX-512 has 16 and AVX2 8, and of the last one
};

struct BandCode {
  using Run = void (*)(BandArguments*);
  std::shared_ptr<const void> memory;  // which the code lies in
  Run run = nullptr;
};

// The shape's distances within a tile, and from one to the next, must be below 2^31 bytes. Throws Xbyak::Error where
// the system gives no memory for code.
BandCode generate_band(const BrgemmShape&, const BrgemmHints&, TileSize);

}  // namespace brickwork
