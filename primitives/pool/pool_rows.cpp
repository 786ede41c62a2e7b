#include "primitives/pool/pool_rows.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/pool/pool_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arguments are passed by value. With references, a stored vector might have changed them, and the compiler would load
// all of them again for the next one.

using Range = PoolAxis::Range;

template <class DI>
HWY_INLINE void StoreIndices(hn::Vec<DI> taps, DI, std::uint8_t* to, bool /*stream*/) {
  hn::StoreU(hn::U8FromU32(hn::BitCast(hn::RebindToUnsigned<DI>(), taps)), hn::Rebind<std::uint8_t, DI>(), to);
}
template <class DI>
HWY_INLINE void StoreIndices(hn::Vec<DI> taps, DI di, std::int32_t* to, bool stream) {
  if (stream) {
    hn::Stream(taps, di, to);
  } else {
    hn::StoreU(taps, di, to);
  }
}

// The taps of a window that are in the image. For those from ask_row and ask_column on, the pixel `below` floats
// further is prefetched: the window below reads it, and no window has read it yet.
struct Taps {
  const float* corner;
  std::int64_t rows, columns, next_row, next_column;
  std::int64_t below, ask_row, ask_column;
  Sweep sweep;
};

HWY_INLINE Taps TapsOf(PoolGeometry g, PoolForwardRow f, Range rows, Range columns, std::int64_t q) {
  const std::int64_t top = g.rows.first(f.row), left = g.columns.first(q);
  const bool ask = past_caches(f.sweep) && top + g.rows.stride + g.rows.taps <= g.rows.image;
  return {.corner = f.src + (top + rows.begin) * f.next_row + (left + columns.begin) * g.bc,
          .rows = rows.size(),
          .columns = columns.size(),
          .next_row = f.next_row,
          .next_column = g.bc,
          .below = g.rows.stride * f.next_row,
          .ask_row = ask ? rows.size() - g.rows.stride : rows.size(),
          .ask_column = columns.size() - g.columns.stride,
          .sweep = f.sweep};
}

// tap(x, r, s) for each tap, row by row; x points to its channels from j on, kVectors vectors of them. Windows of two
// or three rows are too short for the hardware to prefetch what the next ones read, and Zen 5 forgets lines that are
// prefetched in a burst, a pixel at once. Prefetching a few lines beside each tap takes 0.6 of the time if src comes
// from memory, and 1.2 of it if src is in the caches.
template <int kVectors, class D, class Tap>
HWY_INLINE void ForEachTap(D d, Taps t, std::int64_t j, const Tap& tap) {
  for (std::int64_t r = 0; r < t.rows; ++r) {
    for (std::int64_t s = 0; s < t.columns; ++s) {
      const float* const x = t.corner + r * t.next_row + s * t.next_column + j;
      if (r >= t.ask_row && s >= t.ask_column) {
        for (int v = 0; v < kVectors; ++v) AskAhead(x + t.below + v * hn::Lanes(d), t.sweep);
      }
      tap(x, r, s);
    }
  }
}

// A pixel of dst and of the indices, which are null if not wanted. Its first tap in the image is tap `first` of the
// window; a row of taps further, the number is next_first larger.
template <class Index>
struct MaxPixel {
  float* dst;
  Index* indices;
  bool stream;
  std::int32_t first, next_first;

  template <class D, class DI>
  HWY_INLINE void Put(D d, DI di, hn::Vec<D> largest, hn::Vec<DI> tap, std::int64_t j) const {
    StoreOrStream(largest, d, dst + j, stream);
    if (indices != nullptr) StoreIndices(tap, di, indices + j, stream);
  }
};

// The channels from j on, kVectors vectors. An equal value does not replace the largest so far. Comparisons do not show
// NaN, but sums do: returns false if a tap is NaN, or if two are infinite and cancel.
template <int kVectors, class Index, class D>
HWY_INLINE bool MaxVectors(D d, Taps t, std::int64_t j, MaxPixel<Index> to) {
  const hn::RebindToSigned<D> di;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<D> largest[kVectors], sum[kVectors];
  hn::Vec<decltype(di)> tap[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    largest[v] = hn::LoadU(d, t.corner + j + v * lanes);
    tap[v] = hn::Set(di, to.first);
    sum[v] = hn::Zero(d);
  }
  const auto one = hn::Set(di, 1), next_row = hn::Set(di, to.next_first - static_cast<std::int32_t>(t.columns - 1));
  auto here = hn::Sub(tap[0], next_row);
  ForEachTap<kVectors>(d, t, j, [&](const float* from, std::int64_t, std::int64_t s) BRICKWORK_INLINE_ATTR {
    here = hn::Add(here, s > 0 ? one : next_row);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto x = hn::LoadU(d, from + v * lanes);
      tap[v] = hn::IfThenElse(hn::RebindMask(di, hn::Gt(x, largest[v])), here, tap[v]);
      largest[v] = hn::Max(x, largest[v]);
      sum[v] = hn::Add(x, sum[v]);
    }
  });
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) to.Put(d, di, largest[v], tap[v], j + v * lanes);
#pragma GCC unroll 4
  for (int v = 1; v < kVectors; ++v) sum[0] = hn::Add(sum[v], sum[0]);
  return hn::AllTrue(d, hn::Eq(sum[0], sum[0]));
}

// All channels of a pixel, some of which are NaN, which is larger than everything.
template <class Index>
HWY_NOINLINE void MaxOfNaN(Taps t, std::int64_t bc, MaxPixel<Index> to) {
  ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    auto largest = hn::LoadU(d, t.corner + j);
    auto tap = hn::Set(di, to.first);
    ForEachTap<1>(d, t, j, [&](const float* from, std::int64_t r, std::int64_t s) BRICKWORK_INLINE_ATTR {
      const auto x = hn::LoadU(d, from);
      const auto larger = hn::Or(hn::Gt(x, largest), hn::Not(hn::Eq(x, x)));  // Ne() is false for NaN on x86
      largest = hn::IfThenElse(larger, x, largest);
      const auto here = static_cast<std::int32_t>(to.first + r * to.next_first + s);
      tap = hn::IfThenElse(hn::RebindMask(di, larger), hn::Set(di, here), tap);
    });
    to.Put(d, di, largest, tap, j);
  });
}

template <class Index>
HWY_INLINE void MaxRowOf(PoolGeometry g, PoolForwardRow f) {
  const bool indices_fit = sizeof(Index) == 1 || AlignedVectors(g.bc, f.indices);
  const bool stream = past_caches(f.sweep) && AlignedVectors(g.bc, f.dst) && indices_fit;
  const Range rows = g.rows.taps_in_image(f.row);
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Range columns = g.columns.taps_in_image(q);
    const Taps taps = TapsOf(g, f, rows, columns, q);
    const MaxPixel<Index> to{.dst = f.dst + q * g.bc,
                             .indices = f.indices == nullptr ? nullptr : reinterpret_cast<Index*>(f.indices) + q * g.bc,
                             .stream = stream,
                             .first = static_cast<std::int32_t>(rows.begin * g.columns.taps + columns.begin),
                             .next_first = static_cast<std::int32_t>(g.columns.taps)};
    bool numbers = true;
    ForEachVectors(g.bc, [=, &numbers](auto d, auto vectors, std::int64_t j) BRICKWORK_INLINE_ATTR {
      numbers = numbers && MaxVectors<decltype(vectors)::value>(d, taps, j, to);  // MaxOfNaN() redoes all channels
    });
    if (HWY_UNLIKELY(!numbers)) MaxOfNaN(taps, g.bc, to);
  }
}

HWY_INLINE void AverageRow(PoolGeometry g, PoolForwardRow f) {
  const bool stream = past_caches(f.sweep) && AlignedVectors(g.bc, f.dst);
  const Range rows = g.rows.taps_in_image(f.row);
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Taps taps = TapsOf(g, f, rows, g.columns.taps_in_image(q), q);
    const float share = g.row_shares[f.row] * g.column_shares[q];
    float* const dst = f.dst + q * g.bc;
    ForEachVectors(g.bc, [=](auto d, auto vectors, std::int64_t j) BRICKWORK_INLINE_ATTR {
      constexpr int kVectors = decltype(vectors)::value;
      const std::size_t lanes = hn::Lanes(d);
      hn::Vec<decltype(d)> sum[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
      ForEachTap<kVectors>(d, taps, j, [&](const float* x, std::int64_t, std::int64_t) BRICKWORK_INLINE_ATTR {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, x + v * lanes));
      });
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        StoreOrStream(hn::Mul(sum[v], hn::Set(d, share)), d, dst + j + v * lanes, stream);
      }
    });
  }
}

void PoolRow(PoolGeometry g, PoolForwardRow f) {
  if (!g.max) return AverageRow(g, f);
  if (g.index_bytes == 1) return MaxRowOf<std::uint8_t>(g, f);
  MaxRowOf<std::int32_t>(g, f);
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(PoolRow);

void pool_row(const PoolGeometry& g, const PoolForwardRow& row) {
  BRICKWORK_CHOSEN(PoolRow);
  chosen(g, row);
}

}  // namespace brickwork
#endif
