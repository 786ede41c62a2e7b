// Types that the simd brick's per-ISA code (brgemm_simd-inl.h) and its dispatch (brgemm_simd.cpp) share.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/equal_spans.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

// The rows of a register tile to which a member adds.
enum class LiveRows : std::uint8_t { all, but_first, but_last, none };

class GeneratedTiles;
struct Band;
using BandFunction = void (*)(const BrgemmShape&, const BrgemmCall&, const Band&);

// Neighbouring vectors of C, as many as a register tile is wide.
struct Panel {
  std::int64_t column;  // its first column, in elements
  int vecs;
  int last_lanes;                                             // columns in its last vector
  const BandFunction* with_rows;                              // [r - 1]: for register tiles of r rows
  int most_rows;                                              // of a register tile
  int whole_rows;                                             // of a tile that holds all rows of a call
  std::shared_ptr<const GeneratedTiles> generated = nullptr;  // if not null, used instead of with_rows
};

// A tile of at most this many rows does little but load B: prefetching a B that is near costs 5 % of its time.
constexpr int kFewRows = 3;

// How all bands of a brick access B and C.
struct Access {
  bool stream;         // C may be stored past the caches where it is aligned
  std::int64_t ahead;  // rows of B to prefetch ahead: rows_of_b_ahead()
  std::int64_t kept;   // a B of at most this many bytes is prefetched once, by the first tile

  // Whether B stays in L1 during the call. A transposed A counts, too, as several tiles read each of its lines.
  bool keeps_b(const BrgemmShape& s, std::int64_t members) const {
    const std::int64_t row = s.ldb + (s.a_transposed ? s.m : 0);
    return members * s.k * row * static_cast<std::int64_t>(sizeof(float)) <= kept;
  }
  // Whether a tile of `rows` rows prefetches B. `first`: it is the first tile of its band, which brings in a B that is
  // kept.
  bool asks_for_b(const BrgemmShape& s, std::int64_t members, int rows, bool first) const {
    return (first && rows > kFewRows) || !keeps_b(s, members);
  }
  // Not if the tile is read again for a curve, the last step of its epilogue.
  bool streams(const float* c, const BrgemmShape& s, const TileEpilogue& e, int lanes) const {
    return stream && !is_curve(e.activation) && reinterpret_cast<std::uintptr_t>(c) % (lanes * sizeof(float)) == 0 &&
           s.ldc % lanes == 0;
  }
};

// Register tiles of one size, one below the other, in one panel.
struct Band {
  BandFunction run;
  std::int64_t row, column;  // of the first tile
  int tiles, tile_rows;
  int tiles_before = 0, tiles_of_call;  // tiles share read_next; with fewer rows each band asks for all
  int last_lanes;
  Access access;
  const GeneratedTiles* generated = nullptr;
  int period = 0;                   // of zero rows; 0: no row is known to be zero
  std::vector<LiveRows> live_rows;  // [tile][place in the period]
};

// Whether a tile of a call of m rows may prefetch rows of B. A tile one vector wide uses B so slowly that any hardware
// prefetcher keeps up. A tile of few rows prefetches if it is the only one, as B is then used once, and if the
// processor benefits (SimdTuning::few).
constexpr bool may_ask_for_b(int m, int rows, int vecs) { return vecs > 1 && (rows > kFewRows || rows == m); }

// How many rows ahead B is prefetched; 0: not at all. A call with one tile of rows uses SimdTuning::few. A call with
// few tiles of rows uses twice `ahead`, as its B often comes from memory: 2 % less time in fully connected layers of
// 4096 features and 16 images (Zen 5).
constexpr std::int64_t rows_of_b_ahead(const SimdTuning& tuning, int m) {
  constexpr int kRowsOfOneTile = 6, kRowsOfFewTiles = 18;  // of the widest tile; more than any prefetching tile has
  return m <= kRowsOfOneTile ? tuning.few : m <= kRowsOfFewTiles ? 2 * tuning.ahead : tuning.ahead;
}

constexpr int kMostSums = 16;
// Number of independent sums over k, a power of two. Two FMA ports of latency 4 need 8 accumulators in flight, and 16
// so that these do not wait for each other's loads (8 x 16 tiles: 0.95 of peak instead of 0.87). A tile with fewer
// accumulators keeps several sums and adds them at the end. `tile` and `others` (what else the registers hold) are in
// vectors.
constexpr int independent_sums(int registers, int tile, int others) {
  int sums = 1;
  while (sums * tile < kMostSums && 2 * sums * tile + others <= registers) sums *= 2;
  return sums;
}

// The simd brick of one ISA, from its own translation unit.
struct SimdIsa {
  Isa isa;
  std::int64_t target;  // Highway's bit; 0 where the compiler has no such target
  int lanes;            // of a vector
  bool few_registers;   // 16 instead of 32: row_cut.hpp
  // Cuts the columns of C into panels of at most `widest` vectors.
  std::vector<Panel> (*cut)(const BrgemmShape&, int widest);
};
SimdIsa simd_avx512();
SimdIsa simd_avx2();
SimdIsa simd_neon();

}  // namespace brickwork
