#include "pool/pool_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

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

// What of a window lies in the image: these of its rows and columns of taps, the first at `corner`.
struct Window {
  Range rows, columns;
  const float* corner;
};

// Whether x takes the place of the largest so far: equals do not, NaN always does.
template <class D>
HWY_INLINE hn::Mask<D> Larger(D, hn::Vec<D> x, hn::Vec<D> largest) {
  return hn::Or(hn::Gt(x, largest), hn::Not(hn::Eq(x, x)));  // not Ne(), which on x86 is false of NaN
}

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

// Channels j and on of a window of kTaps rows and columns, or where that is 0 of what the image has of it. The largest
// value comes first, and then the first tap that has it, row by row: in one chain of comparisons each would wait for
// the choice before it, which took 1.5 times as long on Zen 5.
template <class Index, int kTaps, class D>
HWY_INLINE void MaxVector(D d, Window w, PoolGeometry g, PoolForwardRow f, std::int64_t q, std::int64_t j,
                          bool stream) {
  const hn::RebindToSigned<D> di;
  const std::int64_t rows = kTaps > 0 ? kTaps : w.rows.size(), columns = kTaps > 0 ? kTaps : w.columns.size();
  const std::int64_t next_row = kTaps > 0 ? kTaps : g.columns.taps;
  const std::int64_t first = kTaps > 0 ? 0 : w.rows.begin * next_row + w.columns.begin;
  const auto at = [=](std::int64_t r, std::int64_t s)
                      HWY_ATTR { return hn::LoadU(d, w.corner + r * f.next_row + s * g.bc + j); };
  const auto tap_at = [=](std::int64_t r, std::int64_t s)
                          HWY_ATTR { return hn::Set(di, static_cast<std::int32_t>(first + r * next_row + s)); };
  auto largest = at(0, 0), zeros = hn::Zero(d);
#pragma GCC unroll 3
  for (std::int64_t r = 0; r < rows; ++r) {
    auto of_row = at(r, 0), zeros_of_row = hn::Mul(of_row, hn::Zero(d));
#pragma GCC unroll 3
    for (std::int64_t s = 1; s < columns; ++s) {
      of_row = hn::Max(at(r, s), of_row);
      zeros_of_row = hn::MulAdd(at(r, s), hn::Zero(d), zeros_of_row);
    }
    largest = r == 0 ? of_row : hn::Max(of_row, largest);
    zeros = r == 0 ? zeros_of_row : hn::Add(zeros_of_row, zeros);
  }
  auto tap = hn::Zero(di);
#pragma GCC unroll 3
  for (std::int64_t r = 0; r < rows; ++r) {
    auto of_row = hn::Set(di, std::numeric_limits<std::int32_t>::max());
#pragma GCC unroll 3
    for (std::int64_t s = columns - 1; s >= 0; --s) {
      of_row = hn::IfThenElse(hn::RebindMask(di, hn::Eq(at(r, s), largest)), tap_at(r, s), of_row);
    }
    tap = r == 0 ? of_row : hn::Min(of_row, tap);
  }
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Eq(zeros, hn::Zero(d))))) {  // something is NaN, or infinite
    largest = at(0, 0);
    tap = tap_at(0, 0);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t s = 0; s < columns; ++s) {
        const auto larger = Larger(d, at(r, s), largest);
        largest = hn::IfThenElse(larger, at(r, s), largest);
        tap = hn::IfThenElse(hn::RebindMask(di, larger), tap_at(r, s), tap);
      }
    }
  }
  StoreOrStream(largest, d, f.dst + q * g.bc + j, stream);
  if (f.indices != nullptr) StoreIndices(tap, di, reinterpret_cast<Index*>(f.indices) + q * g.bc + j, stream);
}

// Pixels of src that the next row of dst needs beside this row's, a pixel's share of them. Windows of two or three rows
// are too short runs for the hardware to ask for them, and what is asked for in a burst, a pixel at once, Zen 5
// forgets: a line of each beside a vector of this pixel takes 0.6 of the time where src comes from memory.
struct Ahead {
  const float* pixels;
  std::int64_t rows, columns;

  HWY_INLINE void Ask(PoolGeometry g, std::int64_t next_row, std::int64_t j) const {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t s = 0; s < columns; ++s) hwy::Prefetch(pixels + r * next_row + s * g.bc + j);
  }
};

// Those behind the whole vectors.
template <class Index>
HWY_NOINLINE void MaxRest(Window w, PoolGeometry g, PoolForwardRow f, std::int64_t q, std::int64_t j) {
  ForEachVector(hn::ScalableTag<float>(), j, g.bc,
                [=](auto d, std::int64_t rest) HWY_ATTR { MaxVector<Index, 0>(d, w, g, f, q, rest, false); });
}

template <class Index, int kTaps>
HWY_INLINE void MaxPixel(Window w, Ahead ahead, PoolGeometry g, PoolForwardRow f, std::int64_t q, bool stream) {
  const hn::ScalableTag<float> wide;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  std::int64_t j = 0;
  for (; j + lanes <= g.bc; j += lanes) {
    ahead.Ask(g, f.next_row, j);
    MaxVector<Index, kTaps>(wide, w, g, f, q, j, stream);
  }
  if (j < g.bc) MaxRest<Index>(w, g, f, q, j);
}

template <class Index>
HWY_INLINE void MaxRowOf(PoolGeometry g, PoolForwardRow f) {
  const bool indices_fit = sizeof(Index) == 1 || AlignedVectors(g.bc, f.indices);
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst) && indices_fit;
  const Range rows = g.rows.taps_in_image(f.row);
  const std::int64_t top = g.rows.first(f.row), below = top + g.rows.taps;
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Range columns = g.columns.taps_in_image(q);
    const std::int64_t left = g.columns.first(q), pixel = q * g.columns.stride;
    const Window window{rows, columns, f.src + (top + rows.begin) * f.next_row + (left + columns.begin) * g.bc};
    const Ahead ahead{f.src + below * f.next_row + pixel * g.bc, std::min(g.rows.stride, g.rows.image - below),
                      std::min(g.columns.stride, g.columns.image - pixel)};
    const auto is_whole = [&](std::int64_t taps) {
      return g.rows.taps == taps && g.columns.taps == taps && rows.size() == taps && columns.size() == taps;
    };
    if (is_whole(3)) {
      MaxPixel<Index, 3>(window, ahead, g, f, q, stream);
    } else if (is_whole(2)) {
      MaxPixel<Index, 2>(window, ahead, g, f, q, stream);
    } else {
      MaxPixel<Index, 0>(window, ahead, g, f, q, stream);
    }
  }
}

void MaxRow(PoolGeometry g, PoolForwardRow f) {
  if (g.index_bytes == 1) return MaxRowOf<std::uint8_t>(g, f);
  MaxRowOf<std::int32_t>(g, f);
}

void AverageRow(PoolGeometry g, PoolForwardRow f) {
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst);
  const Range rows = g.rows.taps_in_image(f.row);
  const float* const top = f.src + (g.rows.first(f.row) + rows.begin) * f.next_row;
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Range columns = g.columns.taps_in_image(q);
    const float* const corner = top + (g.columns.first(q) + columns.begin) * g.bc;
    const float share = g.row_shares[f.row] * g.column_shares[q];
    ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, g.bc, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
      auto sum = hn::Zero(d);
      for (std::int64_t r = 0; r < rows.size(); ++r)
        for (std::int64_t s = 0; s < columns.size(); ++s)
          sum = hn::Add(sum, hn::LoadU(d, corner + r * f.next_row + s * g.bc + j));
      StoreOrStream(hn::Mul(sum, hn::Set(d, share)), d, f.dst + q * g.bc + j, stream);
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
