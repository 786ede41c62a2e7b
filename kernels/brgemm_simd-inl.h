// The simd brick for one instruction set; brgemm_simd.cpp includes it once per target (Highway's foreach_target).
#if defined(BRICKWORK_BRGEMM_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_BRGEMM_SIMD_INL_H_
#undef BRICKWORK_BRGEMM_SIMD_INL_H_
#else
#define BRICKWORK_BRGEMM_SIMD_INL_H_
#endif

#include "brgemm_simd.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

// Highway also includes this for the build's baseline (SSE2 or scalar code), which gets no brick.
#if HWY_TARGET & (HWY_AVX2 | HWY_AVX3 | HWY_NEON)
HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// AVX-512 and NEON have 32 vector registers, AVX2 has 16.
constexpr int kRegisters = HWY_TARGET == HWY_AVX2 ? 16 : 32;
constexpr int kMaxVecs = kRegisters == 32 ? 4 : 2;

constexpr int kCacheLine = 64 / sizeof(float);

// Makes a value one that GCC knows nothing about, so that it cannot be computed elsewhere. Without it GCC hoists one
// pointer per row of A out of the k loop, 28 of them into 16 registers: tall tiles then read their addresses from the
// stack and stand at 0.75 of peak instead of 0.93.
template <class T>
HWY_INLINE void Keep(T& value) {
  asm("" : "+r"(value));
}

// Every loop over a tile's registers is unrolled whole, or the sums would live in memory.
#undef BRICKWORK_UNROLL
#define BRICKWORK_UNROLL _Pragma("GCC unroll 32")

// GCC folds the row of B into the FMAs as memory operands and so loads it once for every row of A: 3 x 64 tiles then
// stand at 0.73 of peak instead of 0.98.
HWY_INLINE V KeptInRegister(V v) {
#if HWY_ARCH_X86
  auto raw = v.raw;
  asm volatile("" : "+v"(raw));
  return V{raw};
#else
  return v;
#endif
}

// Most rows of a register tile that is `vecs` wide: the accumulators, one row of B and one broadcast of A must fit.
constexpr int MaxRows(int vecs) {
  if (kRegisters == 16) return vecs == 1 ? 13 : 6;
  return vecs == 1 ? 28 : vecs == 2 ? 14 : vecs == 3 ? 9 : 7;
}

// Independent sums over k, a power of two. Two FMA ports of latency 4 need 8 accumulators in flight, and 16 where they
// are not to wait for each other's loads (8 x 16 tiles: 0.95 of peak instead of 0.87); a tile with fewer keeps several
// sums and adds them at the end.
constexpr int Sums(int rows, int vecs) {
  const int tile = rows * vecs;
  int sums = 1;
  while (sums * tile < 16 && 2 * sums * tile + vecs + 1 <= kRegisters) sums *= 2;
  return sums;
}

// AVX2 has no registers to spare, and its FMAs do not broadcast.
constexpr bool kCanShuffle = HWY_TARGET == HWY_AVX3;

// Rows whose A is loaded four steps at a time and spread by shuffles. Tiles one vector wide load once for every FMA and
// once for B, so they end at m / (m + 1) of two loads a cycle; two or three such rows lift them above: from 0.80 to
// 0.97 of peak at 6 x 16, from 0.90 to 0.98 at 16 x 16. (Two on the shorter tiles, as shuffles fill ports, too.)
constexpr int ShuffledRows(int rows) {
  return std::min({rows, rows < 8 ? 2 : 3, kRegisters - Sums(rows, 1) * rows - 2});
}

// A narrow tile's step over k takes few cycles, and the loop around it shows: by 1 % at 8 x 32 and 14 x 16.
constexpr int StepsAtOnce(int rows, int vecs) { return vecs <= 2 && rows * vecs <= 20 ? 4 : 1; }

// `band.tiles` tiles of kRows x (kVecs * lanes), one below the other; the last vector is cut to band.last_lanes when
// kTail.
template <int kRows, int kVecs, bool kTail, bool kShuffle>
HWY_NOINLINE void RunBand(const BatchCursor& batch, const BrgemmShape& shape, const Band& band, float* HWY_RESTRICT c) {
  constexpr int kSums = Sums(kRows, kVecs);
  constexpr int kShuffled = kShuffle ? ShuffledRows(kRows) : 0;
  constexpr int kUnroll = kSums > 1 ? kSums : StepsAtOnce(kRows, kVecs);
  // 7 x 4, the tile of 7 x 7 images, leaves no room for a row of B beside its sums: B is read from L1 again for every
  // group of rows, which costs loads that are to spare and halves the traffic from L2 that 4 + 3 rows would cause.
  constexpr bool kHoldB = kRows * kVecs + kVecs + 1 <= kRegisters;
  // Two branches a step cost nothing beside 4 x 4 FMAs, but 1 to 2 % of a narrower tile.
  constexpr bool kLeavesOutRows = kVecs == 4 && kRows > 2;
  const D d;
  // Copies, as the stores to C could alias the shape and every row would read it again.
  const std::int64_t lda = shape.lda, ldb = shape.ldb, ldc = shape.ldc;
  const int k_size = shape.k;
  const bool accumulate = shape.beta != 0;
  constexpr std::uintptr_t kVector = sizeof(float) * kLanes;
  const bool stream = shape.stream_c && !accumulate && reinterpret_cast<std::uintptr_t>(c) % kVector == 0 &&
                      static_cast<std::uintptr_t>(ldc) % kLanes == 0;
  const std::int64_t next_a = shape.next_a, next_a_row = std::min<std::int64_t>(k_size, lda);
  const auto tail = hn::FirstN(d, kTail ? static_cast<size_t>(band.last_lanes) : static_cast<size_t>(kLanes));
  const auto load = [&](const float* p, int v)
                        HWY_ATTR { return kTail && v == kVecs - 1 ? hn::MaskedLoad(tail, d, p) : hn::LoadU(d, p); };

  c += band.c_offset;
  std::int64_t a_offset = band.a_offset;
  const int taps = shape.image.taps;
  const LiveRows* live_rows = taps == 0 ? nullptr : band.live_rows.data();  // by tap
  for (int tile = 0; tile < band.tiles; ++tile, a_offset += kRows * lda, live_rows += taps) {
    V sum[kSums][kRows][kVecs];
    BRICKWORK_UNROLL for (int u = 0; u < kSums; ++u) {
      BRICKWORK_UNROLL for (int r = 0; r < kRows; ++r) {
        BRICKWORK_UNROLL for (int v = 0; v < kVecs; ++v) sum[u][r][v] = hn::Zero(d);
      }
    }

    // Neither B nor C is prefetched: the hardware does it, and asking for B cost 1 % of the convolutions.
    int tap = 0;
    for (std::int64_t i = 0; i < batch.size; ++i) {
      LiveRows live = LiveRows::all;
      if constexpr (kLeavesOutRows) {
        if (taps != 0) live = live_rows[tap];
        tap = tap + 1 == taps ? 0 : tap + 1;
        if (live == LiveRows::none) continue;
      }
      const float* HWY_RESTRICT a = batch.a(i) + a_offset;
      if (next_a != 0) {
        for (std::int64_t j = 0; j < next_a_row; j += kCacheLine) {
          const float* row = a + next_a + j;
          BRICKWORK_UNROLL for (int r = 0; r < kRows; ++r, row += lda) hwy::Prefetch(row);
        }
      }
      const float* HWY_RESTRICT b = batch.b(i) + band.b_offset;
      bool first_row = live != LiveRows::but_first, last_row = live != LiveRows::but_last;
      // One step over k; `step` of the four that a_quads holds of its rows, or -1.
      const auto rank1 = [&](V(&acc)[kRows][kVecs], const V* a_quads, auto step) HWY_ATTR {
        if constexpr (kLeavesOutRows) {  // or GCC makes a loop over k for every case, and spills
          Keep(first_row);
          Keep(last_row);
        }
        const auto is_live = [&](int r) HWY_ATTR {
          return !kLeavesOutRows || (r == 0 ? first_row : r == kRows - 1 ? last_row : true);
        };
        if constexpr (kHoldB) {
          V b_row[kVecs];
          BRICKWORK_UNROLL for (int v = 0; v < kVecs; ++v) b_row[v] = KeptInRegister(load(b + v * kLanes, v));
          const float* a_row = a;
          BRICKWORK_UNROLL for (int r = 0; r < kRows; ++r) {
            if (r > 0 && r % 4 == 0) Keep(a_row += 4 * lda);
            if (!is_live(r)) continue;
            const bool shuffled = step >= 0 && r < kShuffled;
            const V a_rk = shuffled ? hn::Broadcast<std::max(0, step())>(a_quads[r]) : hn::Set(d, a_row[r % 4 * lda]);
            BRICKWORK_UNROLL for (int v = 0; v < kVecs; ++v) acc[r][v] = hn::MulAdd(a_rk, b_row[v], acc[r][v]);
          }
        } else {
          constexpr int kGroup = kRegisters - 1 - kRows * kVecs;  // rows of A held at once
          const float* b_row = b;
          BRICKWORK_UNROLL for (int first = 1; first < kRows - 1; first += kGroup) {
            const int end = std::min(kRows - 1, first + kGroup);
            V a_k[kGroup];
            BRICKWORK_UNROLL for (int r = first; r < end; ++r) a_k[r - first] = KeptInRegister(hn::Set(d, a[r * lda]));
            BRICKWORK_UNROLL for (int v = 0; v < kVecs; ++v) {
              const V b_kv = KeptInRegister(load(b_row + v * kLanes, v));
              BRICKWORK_UNROLL for (int r = first; r < end; ++r) acc[r][v] =
                  hn::MulAdd(a_k[r - first], b_kv, acc[r][v]);
            }
            Keep(b_row);  // or GCC holds it, from group to group
          }
          BRICKWORK_UNROLL for (int r = 0; r < kRows; r += kRows - 1) {
            if (!is_live(r)) continue;
            const V a_rk = hn::Set(d, a[r * lda]);
            BRICKWORK_UNROLL for (int v = 0; v < kVecs; ++v) {
              acc[r][v] = hn::MulAdd(a_rk, load(b_row + v * kLanes, v), acc[r][v]);
            }
            Keep(b_row);
          }
        }
        Keep(a += 1);
        Keep(b += ldb);
      };
      using std::integral_constant;
      int k = 0;
      if constexpr (kShuffled > 0) {
        for (; k + 4 <= k_size; k += 4) {
          V a_quads[kShuffled];
          BRICKWORK_UNROLL for (int r = 0; r < kShuffled; ++r) {
            a_quads[r] = KeptInRegister(hn::LoadDup128(d, a + r * lda));
          }
          rank1(sum[0], a_quads, integral_constant<int, 0>());
          rank1(sum[1 % kSums], a_quads, integral_constant<int, 1>());
          rank1(sum[2 % kSums], a_quads, integral_constant<int, 2>());
          rank1(sum[3 % kSums], a_quads, integral_constant<int, 3>());
        }
      } else if constexpr (kUnroll > 1) {
        for (; k + kUnroll <= k_size; k += kUnroll) {
          BRICKWORK_UNROLL for (int u = 0; u < kUnroll; ++u)
              rank1(sum[u % kSums], nullptr, integral_constant<int, -1>());
        }
      }
      for (; k < k_size; ++k) rank1(sum[0], nullptr, integral_constant<int, -1>());
    }

    BRICKWORK_UNROLL for (int r = 0; r < kRows; ++r) {
      BRICKWORK_UNROLL for (int v = 0; v < kVecs; ++v) {
        BRICKWORK_UNROLL for (int u = 1; u < kSums; ++u) sum[0][r][v] = hn::Add(sum[0][r][v], sum[u][r][v]);
        float* to = c + v * kLanes;
        if (accumulate) sum[0][r][v] = hn::Add(sum[0][r][v], load(to, v));
        if (kTail && v == kVecs - 1) {
          hn::BlendedStore(sum[0][r][v], tail, d, to);
        } else if (stream) {
          hn::Stream(sum[0][r][v], d, to);
        } else {
          hn::StoreU(sum[0][r][v], d, to);
        }
      }
      Keep(c += ldc);
    }
  }
  if (stream) hwy::FlushStream();  // another thread may read C after the call
}

template <int kVecs, bool kTail, bool kShuffle, int... kRowsMinus1>
BandFunction FindBand(int rows, std::integer_sequence<int, kRowsMinus1...>) {
  static constexpr BandFunction kBands[] = {&RunBand<kRowsMinus1 + 1, kVecs, kTail, kShuffle>...};
  return kBands[rows - 1];
}

template <int kVecs, bool kShuffle = false>
BandFunction FindBand(int rows, bool tail) {
  constexpr auto kSequence = std::make_integer_sequence<int, MaxRows(kVecs)>();
  return tail ? FindBand<kVecs, true, kShuffle>(rows, kSequence) : FindBand<kVecs, false, kShuffle>(rows, kSequence);
}

BandFunction FindBand(int rows, int vecs, bool tail, bool shuffle) {
  switch (vecs) {
    case 1:
      return kCanShuffle && shuffle ? FindBand<1, kCanShuffle>(rows, tail) : FindBand<1>(rows, tail);
    case 2:
      return FindBand<2>(rows, tail);
#if HWY_TARGET != HWY_AVX2
    case 3:
      return FindBand<3>(rows, tail);
    default:
      return FindBand<4>(rows, tail);
#else
    default:
      return nullptr;
#endif
  }
}

// Cuts m x n into register tiles of near-equal size: n = 80 becomes 3 + 2 vectors, m = 7 becomes 4 + 3 rows, so that
// no tile is left too small to fill the FMA ports. Tiles of one size make one band.
std::vector<Band> CutIntoBands(const BrgemmShape& s, std::optional<bool> asked) {
#if HWY_ARCH_X86
  // Intel's AVX-512 cores run shuffles on a port of the FMAs.
  const bool shuffle = asked.value_or(__builtin_cpu_is("amd"));
#else
  const bool shuffle = asked.value_or(false);
#endif
  std::vector<Band> bands;
  const int vecs_total = (s.n + kLanes - 1) / kLanes;
  const int last_lanes = s.n - (vecs_total - 1) * kLanes;
  for (Span panel : EqualSpans(vecs_total, kMaxVecs)) {
    const bool tail = panel.end() == vecs_total && last_lanes < kLanes;
    const std::int64_t column = std::int64_t{panel.begin} * kLanes;
    int previous_rows = 0;
    for (Span rows : EqualSpans(s.m, MaxRows(panel.size))) {
      if (rows.size != previous_rows) {
        bands.push_back({FindBand(rows.size, panel.size, tail, shuffle),
                         0,
                         last_lanes,
                         rows.begin * s.lda,
                         column,
                         rows.begin * s.ldc + column,
                         {}});
      }
      previous_rows = rows.size;
      ++bands.back().tiles;
      for (int tap = 0; tap < s.image.taps; ++tap) bands.back().live_rows.push_back(FindLiveRows(rows, tap, s.image));
    }
  }
  return bands;
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
