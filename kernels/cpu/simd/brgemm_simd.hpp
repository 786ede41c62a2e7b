// What the simd brick's per-ISA code (brgemm_simd-inl.h) and its dispatch (brgemm_simd.cpp) share.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/equal_spans.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

// Which of a register tile's rows a member adds to.
enum class LiveRows : std::uint8_t { all, but_first, but_last, none };

class GeneratedTiles;
struct Band;
using BandFunction = void (*)(const BrgemmShape&, const BrgemmCall&, const Band&);

// Vectors of C side by side, as many as a register tile is wide.
struct Panel {
  std::int64_t column;  // its first, in elements
  int vecs;
  int last_lanes;                                             // columns in its last vector
  const BandFunction* with_rows;                              // [r - 1]: for register tiles of r rows
  int most_rows;                                              // of a register tile
  int whole_rows;                                             // of one that holds all rows of a call
  std::shared_ptr<const GeneratedTiles> generated = nullptr;  // instead of with_rows, where there are such
};

// A tile of so few rows does little but load B: to ask for what is near costs 5 %.
constexpr int kFewRows = 3;

// How all bands of a brick reach B and C.
struct Access {
  bool stream;         // C may be stored past the caches where it is aligned
  std::int64_t ahead;  // rows of B: rows_of_b_ahead()
  std::int64_t kept;   // a B of at most so many bytes is asked for once, by the first tile

  // With it a transposed A, whose every line several tiles read.
  bool keeps_b(const BrgemmShape& s, std::int64_t members) const {
    const std::int64_t row = s.ldb + (s.a_transposed ? s.m : 0);
    return members * s.k * row * static_cast<std::int64_t>(sizeof(float)) <= kept;
  }
  // Of a tile of so many rows, whether it is its band's first, which brings what is kept.
  bool asks_for_b(const BrgemmShape& s, std::int64_t members, int rows, bool first) const {
    return (first && rows > kFewRows) || !keeps_b(s, members);
  }
  // Not where the tile is read again for the last step of its epilogue.
  bool streams(const float* c, const BrgemmShape& s, const TileEpilogue& e, int lanes) const {
    return stream && !is_curve(e.activation) && reinterpret_cast<std::uintptr_t>(c) % (lanes * sizeof(float)) == 0 &&
           s.ldc % lanes == 0;
  }
};

// Register tiles of one size, one below the other, in one panel.
struct Band {
  BandFunction run;
  std::int64_t row, column;  // where the first tile begins
  int tiles, tile_rows;
  int tiles_before = 0, tiles_of_call;  // each asks for its share of what is read next; of fewer rows, a band for all
  int last_lanes;
  Access access;
  const GeneratedTiles* generated = nullptr;
  int period = 0;                   // of zero rows; 0: all rows always add
  std::vector<LiveRows> live_rows;  // [tile][place in the period]
};

// Whether a tile of a call of m rows may ask for rows of B ahead. One vector wide it takes B slowly enough for any
// hardware to keep up. One of few rows asks where it is alone, as then B passes it by, if the machine likes that
// (SimdTuning::few).
constexpr bool may_ask_for_b(int m, int rows, int vecs) { return vecs > 1 && (rows > kFewRows || rows == m); }

// So many rows on, or none where it is 0. B passes by one tile of rows (SimdTuning::few). Twice as far where few tiles
// pass over B, as it often comes from memory: 2 % of fully connected layers of 4096 features and 16 images (Zen 5).
constexpr std::int64_t rows_of_b_ahead(const SimdTuning& tuning, int m) {
  constexpr int kRowsOfOneTile = 6, kRowsOfFewTiles = 18;  // of the widest; more than any has that asks
  return m <= kRowsOfOneTile ? tuning.few : m <= kRowsOfFewTiles ? 2 * tuning.ahead : tuning.ahead;
}

constexpr int kMostSums = 16;
// Independent sums over k, a power of two. Two FMA ports of latency 4 need 8 accumulators in flight, and 16 where they
// are not to wait for each other's loads (8 x 16 tiles: 0.95 of peak instead of 0.87); a tile with fewer keeps several
// sums and adds them at the end. `tile` and `others`, what else the registers hold, are counted in vectors.
constexpr int independent_sums(int registers, int tile, int others) {
  int sums = 1;
  while (sums * tile < kMostSums && 2 * sums * tile + others <= registers) sums *= 2;
  return sums;
}

// What one ISA's translation unit gives.
struct SimdIsa {
  Isa isa;
  std::int64_t target;  // Highway's bit; 0 where the compiler has no such target
  int lanes;            // of a vector
  bool few_registers;   // 16 of them and not 32: row_cut.hpp
  // Cuts the columns of C into panels of so many vectors at most.
  std::vector<Panel> (*cut)(const BrgemmShape&, int widest);
};
SimdIsa simd_avx512();
SimdIsa simd_avx2();
SimdIsa simd_neon();

}  // namespace brickwork
