#include "pool/pool_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pool/pool_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arguments come by value: a vector that is stored might else have changed them, and all were loaded again for the
// next.

using Range = PoolAxis::Range;

constexpr std::int64_t kLine = 64;  // bytes of a cache's

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

template <class DI>
HWY_INLINE hn::Vec<DI> LoadIndices(DI di, const std::uint8_t* from) {
  return hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::uint8_t, DI>(), from));
}
template <class DI>
HWY_INLINE hn::Vec<DI> LoadIndices(DI di, const std::int32_t* from) {
  return hn::LoadU(di, from);
}

// of(d, kVectors, j) for the channels of a pixel, j and on: kVectors vectors side by side, as each of them waits from
// tap to tap. Some may meet those before, whose channels are then done twice.
template <class Of>
HWY_INLINE void ForEachVectors(std::int64_t bc, const Of& of) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + 4 * lanes <= bc; j += 4 * lanes) of(d, std::integral_constant<int, 4>(), j);
  if (bc >= 2 * lanes) {
    for (; j < bc; j += 2 * lanes) of(d, std::integral_constant<int, 2>(), std::min(j, bc - 2 * lanes));
  } else {
    ForEachVector(d, j, bc, [&](auto shorter, std::int64_t i) BRICKWORK_INLINE_ATTR {
      of(shorter, std::integral_constant<int, 1>(), i);
    });
  }
}

// Those taps of a window that the image has. `below` floats behind those from ask_row and ask_column on lies what the
// window below reads and none has read so far.
struct Taps {
  const float* corner;
  std::int64_t rows, columns, next_row, next_column;
  std::int64_t below, ask_row, ask_column;
};

HWY_INLINE Taps TapsOf(PoolGeometry g, PoolForwardRow f, Range rows, Range columns, std::int64_t q) {
  const std::int64_t top = g.rows.first(f.row), left = g.columns.first(q);
  const bool ask = f.stream && top + g.rows.stride + g.rows.taps <= g.rows.image;
  return {.corner = f.src + (top + rows.begin) * f.next_row + (left + columns.begin) * g.bc,
          .rows = rows.size(),
          .columns = columns.size(),
          .next_row = f.next_row,
          .next_column = g.bc,
          .below = g.rows.stride * f.next_row,
          .ask_row = ask ? rows.size() - g.rows.stride : rows.size(),
          .ask_column = columns.size() - g.columns.stride};
}

// tap(x, r, s) of each, row by row, where x are its channels j and on, kVectors of them. Windows of two or three rows
// are too short runs for the hardware to ask for what the next ones read, and what is asked for in a burst, a pixel at
// once, Zen 5 forgets: some lines beside each tap take 0.6 of the time where src comes from memory. In the caches they
// take 1.2 of it.
template <int kVectors, class D, class Tap>
HWY_INLINE void ForEachTap(D d, Taps t, std::int64_t j, const Tap& tap) {
  for (std::int64_t r = 0; r < t.rows; ++r) {
    for (std::int64_t s = 0; s < t.columns; ++s) {
      const float* const x = t.corner + r * t.next_row + s * t.next_column + j;
      if (r >= t.ask_row && s >= t.ask_column) {
        for (int v = 0; v < kVectors; ++v) hwy::Prefetch(x + t.below + v * hn::Lanes(d));
      }
      tap(x, r, s);
    }
  }
}

// A pixel of dst and of the indices, which are null where nobody wants them. The first of its taps is the window's tap
// `first`, the next row's begins next_first later.
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

// Channels j and on of kVectors vectors. Equals do not take the place of the largest so far. Comparisons say nothing of
// NaN, sums do: false where one of the taps is NaN, or two are infinite and cancel.
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

// All channels of a pixel some of which are NaN, which takes the place of all else.
template <class Index>
HWY_NOINLINE void MaxOfNaN(Taps t, std::int64_t bc, MaxPixel<Index> to) {
  ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    auto largest = hn::LoadU(d, t.corner + j);
    auto tap = hn::Set(di, to.first);
    ForEachTap<1>(d, t, j, [&](const float* from, std::int64_t r, std::int64_t s) BRICKWORK_INLINE_ATTR {
      const auto x = hn::LoadU(d, from);
      const auto larger = hn::Or(hn::Gt(x, largest), hn::Not(hn::Eq(x, x)));  // Ne() is false of NaN on x86
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
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst) && indices_fit;
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
      numbers = numbers && MaxVectors<decltype(vectors)::value>(d, taps, j, to);  // the rest is done over, too
    });
    if (HWY_UNLIKELY(!numbers)) MaxOfNaN(taps, g.bc, to);
  }
}

void MaxRow(PoolGeometry g, PoolForwardRow f) {
  if (g.index_bytes == 1) return MaxRowOf<std::uint8_t>(g, f);
  MaxRowOf<std::int32_t>(g, f);
}

void AverageRow(PoolGeometry g, PoolForwardRow f) {
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst);
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

// Where a pixel's windows have their gradients and indices, the first one's and how far the next row's are.
struct PixelWindows {
  std::int64_t rows, columns, gradient, next_gradient, index, next_index;
};

// A pixel's sum over kRows * kColumns windows, or where one of them is 0 over as many as there are. Known ones have
// what belongs to them worked out once for all of the pixel's vectors.
template <int kRows, int kColumns, class Of, class Part>
HWY_INLINE void GatherPixel(PixelWindows windows, std::int64_t bc, float* dsrc, bool stream, Of of, Part part) {
  static_assert(kRows <= 2 && kColumns <= 2);
  constexpr bool kKnown = kRows > 0 && kColumns > 0;
  const auto at = [=](std::int64_t p, std::int64_t q, auto d, std::int64_t j, auto that) BRICKWORK_INLINE_ATTR {
    return part(d, windows.gradient + p * windows.next_gradient + q * bc + j,
                windows.index + p * windows.next_index + q * bc + j, that);
  };
  if constexpr (kKnown) {
    const auto of00 = of(0, 0), of01 = kColumns > 1 ? of(0, 1) : of00, of10 = kRows > 1 ? of(1, 0) : of00,
               of11 = kRows > 1 && kColumns > 1 ? of(1, 1) : of00;
    ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
      auto sum = at(0, 0, d, j, of00);
      if constexpr (kColumns > 1) sum = hn::Add(sum, at(0, 1, d, j, of01));
      if constexpr (kRows > 1) sum = hn::Add(sum, at(1, 0, d, j, of10));
      if constexpr (kRows > 1 && kColumns > 1) sum = hn::Add(sum, at(1, 1, d, j, of11));
      StoreOrStream(sum, d, dsrc + j, stream);
    });
  } else {
    ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
      auto sum = hn::Zero(d);
      for (std::int64_t p = 0; p < windows.rows; ++p)
        for (std::int64_t q = 0; q < windows.columns; ++q) sum = hn::Add(sum, at(p, q, d, j, of(p, q)));
      StoreOrStream(sum, d, dsrc + j, stream);
    });
  }
}

// What the row of windows behind a pixel's has at q.
HWY_INLINE void AskForWindow(PoolGeometry g, PoolBackwardRow b, std::int64_t p, std::int64_t q) {
  if (p >= g.rows.outputs || q >= g.columns.outputs) return;
  const auto ask = [](const void* from, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i += kLine) hwy::Prefetch(static_cast<const std::byte*>(from) + i);
  };
  ask(b.ddst + p * b.next_row + q * g.bc, g.bc * static_cast<std::int64_t>(sizeof(float)));
  if (b.indices != nullptr) ask(b.indices + (p * g.columns.outputs + q) * g.bc * g.index_bytes, g.bc * g.index_bytes);
}

// of(tap, p, q): what a pixel must know of window (p, q), of which it is that tap. part(d, gradient, index, that): what
// it has of the gradient and of the index at these places.
template <int kRows, class Of, class Part>
HWY_INLINE void GatherPixels(PoolGeometry g, Range rows, PoolBackwardRow b, Of of, Part part) {
  const bool stream = b.stream && AlignedVectors(g.bc, b.dsrc);
  const bool ask = b.row % g.rows.stride == 0;  // as often as there are rows of windows
  const std::int64_t first_r = b.row - g.rows.first(rows.begin), index_row = g.columns.outputs * g.bc;
  for (std::int64_t w = 0; w < g.columns.image; ++w) {
    const Range columns = g.column_windows[w];
    const std::int64_t first_tap = first_r * g.columns.taps + w - g.columns.first(columns.begin);
    const PixelWindows windows{.rows = rows.size(),
                               .columns = columns.size(),
                               .gradient = rows.begin * b.next_row + columns.begin * g.bc,
                               .next_gradient = b.next_row,
                               .index = rows.begin * index_row + columns.begin * g.bc,
                               .next_index = index_row};
    const auto of_window = [=](std::int64_t p, std::int64_t q) {
      return of(first_tap - p * g.rows.stride * g.columns.taps - q * g.columns.stride, rows.begin + p,
                columns.begin + q);
    };
    float* const dsrc = b.dsrc + w * g.bc;
    if (ask && w % g.columns.stride == 0) AskForWindow(g, b, rows.end, w / g.columns.stride);
    if (columns.size() == 1) {
      GatherPixel<kRows, 1>(windows, g.bc, dsrc, stream, of_window, part);
    } else if (columns.size() == 2) {
      GatherPixel<kRows, 2>(windows, g.bc, dsrc, stream, of_window, part);
    } else {
      GatherPixel<kRows, 0>(windows, g.bc, dsrc, stream, of_window, part);
    }
  }
}

template <class Of, class Part>
HWY_INLINE void GatherRow(PoolGeometry g, PoolBackwardRow b, Of of, Part part) {
  const Range rows = g.rows.windows_of(b.row);
  if (rows.size() == 1) return GatherPixels<1>(g, rows, b, of, part);
  if (rows.size() == 2) return GatherPixels<2>(g, rows, b, of, part);
  GatherPixels<0>(g, rows, b, of, part);
}

template <class Index>
HWY_INLINE void MaxGradientRowOf(PoolGeometry g, PoolBackwardRow b) {
  const auto* const indices = reinterpret_cast<const Index*>(b.indices);
  GatherRow(
      g, b, [](std::int64_t tap, std::int64_t, std::int64_t) { return static_cast<std::int32_t>(tap); },
      [=](auto d, std::int64_t gradient, std::int64_t index, std::int32_t tap) BRICKWORK_INLINE_ATTR {
        const hn::RebindToSigned<decltype(d)> di;
        const auto is_largest = hn::Eq(LoadIndices(di, indices + index), hn::Set(di, tap));
        return hn::IfThenElseZero(hn::RebindMask(d, is_largest), hn::LoadU(d, b.ddst + gradient));
      });
}

void MaxGradientRow(PoolGeometry g, PoolBackwardRow b) {
  if (g.index_bytes == 1) return MaxGradientRowOf<std::uint8_t>(g, b);
  MaxGradientRowOf<std::int32_t>(g, b);
}

void AverageGradientRow(PoolGeometry g, PoolBackwardRow b) {
  GatherRow(
      g, b, [=](std::int64_t, std::int64_t p, std::int64_t q) { return g.row_shares[p] * g.column_shares[q]; },
      [=](auto d, std::int64_t gradient, std::int64_t, float share)
          BRICKWORK_INLINE_ATTR { return hn::Mul(hn::LoadU(d, b.ddst + gradient), hn::Set(d, share)); });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(MaxRow);
HWY_EXPORT(AverageRow);
HWY_EXPORT(MaxGradientRow);
HWY_EXPORT(AverageGradientRow);

void max_row(const PoolGeometry& g, const PoolForwardRow& row) {
  BRICKWORK_CHOSEN(MaxRow);
  chosen(g, row);
}

void average_row(const PoolGeometry& g, const PoolForwardRow& row) {
  BRICKWORK_CHOSEN(AverageRow);
  chosen(g, row);
}

void max_gradient_row(const PoolGeometry& g, const PoolBackwardRow& row) {
  BRICKWORK_CHOSEN(MaxGradientRow);
  chosen(g, row);
}

void average_gradient_row(const PoolGeometry& g, const PoolBackwardRow& row) {
  BRICKWORK_CHOSEN(AverageGradientRow);
  chosen(g, row);
}

}  // namespace brickwork
#endif
