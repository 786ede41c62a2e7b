#include "pool/pool_rows.hpp"

#include <algorithm>
#include <cstddef>

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

// Whether x takes the place of the largest so far: equals do not, NaN always does.
template <class D>
HWY_INLINE hn::Mask<D> Larger(D, hn::Vec<D> x, hn::Vec<D> largest) {
  return hn::Or(hn::Gt(x, largest), hn::Not(hn::Eq(x, x)));  // not Ne(), which on x86 is false of NaN
}

// What of a window lies in the image: these of its rows and columns of taps, the first at `corner`.
struct Window {
  Range rows, columns;
  const float* corner;
};

// A pixel's value becomes its window's largest, and its tap the index, where it is larger.
template <class D, class V = hn::Vec<D>, class I = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE void Take(D d, V x, I tap, V& largest, I& index) {
  const auto larger = Larger(d, x, largest);
  largest = hn::IfThenElse(larger, x, largest);
  index = hn::IfThenElse(hn::RebindMask(hn::RebindToSigned<D>(), larger), tap, index);
}

// A window of kTaps rows and columns, or where that is 0 of as many as there are. Known ones, unrolled, take half the
// time. Four vectors at a time, so that lines are met in the order in which they lie in memory: one after the other
// took 1.1 times as long on Zen 5.
template <int kTaps>
HWY_INLINE void MaxPixel(Window w, PoolGeometry g, PoolForwardRow f, std::int64_t q, bool stream) {
  const std::int64_t rows = kTaps > 0 ? kTaps : w.rows.size(), columns = kTaps > 0 ? kTaps : w.columns.size();
  const auto first = static_cast<std::int32_t>(w.rows.begin * g.columns.taps + w.columns.begin);
  const auto next_row = static_cast<std::int32_t>(g.columns.taps);
  const auto store = [=](auto d, std::int64_t j, auto largest, auto index) HWY_ATTR {
    StoreOrStream(largest, d, f.dst + q * g.bc + j, stream);
    if (f.indices == nullptr) return;
    std::int32_t* const to = f.indices + q * g.bc + j;
    if (stream) {
      hn::Stream(index, hn::RebindToSigned<decltype(d)>(), to);
    } else {
      hn::StoreU(index, hn::RebindToSigned<decltype(d)>(), to);
    }
  };
  const hn::ScalableTag<float> wide;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  std::int64_t done = 0;
  for (; done + 4 * lanes <= g.bc; done += 4 * lanes) {
    const hn::RebindToSigned<decltype(wide)> di;
    const float* const corner = w.corner + done;
    auto largest0 = hn::LoadU(wide, corner), largest1 = hn::LoadU(wide, corner + lanes),
         largest2 = hn::LoadU(wide, corner + 2 * lanes), largest3 = hn::LoadU(wide, corner + 3 * lanes);
    auto index0 = hn::Set(di, first), index1 = index0, index2 = index0, index3 = index0;
    for (std::int32_t r = 0; r < rows; ++r)
      for (std::int32_t s = 0; s < columns; ++s) {
        const float* const x = corner + r * f.next_row + s * g.bc;
        const auto tap = hn::Set(di, first + r * next_row + s);
        Take(wide, hn::LoadU(wide, x), tap, largest0, index0);
        Take(wide, hn::LoadU(wide, x + lanes), tap, largest1, index1);
        Take(wide, hn::LoadU(wide, x + 2 * lanes), tap, largest2, index2);
        Take(wide, hn::LoadU(wide, x + 3 * lanes), tap, largest3, index3);
      }
    store(wide, done, largest0, index0);
    store(wide, done + lanes, largest1, index1);
    store(wide, done + 2 * lanes, largest2, index2);
    store(wide, done + 3 * lanes, largest3, index3);
  }
  ForEachVector(wide, done, g.bc, [=](auto d, std::int64_t j) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    auto largest = hn::LoadU(d, w.corner + j);
    auto index = hn::Set(di, first);
    for (std::int32_t r = 0; r < rows; ++r)
      for (std::int32_t s = 0; s < columns; ++s)
        Take(d, hn::LoadU(d, w.corner + r * f.next_row + s * g.bc + j), hn::Set(di, first + r * next_row + s), largest,
             index);
    store(d, j, largest, index);
  });
}

// The lines of src that the next row of dst needs beside this row's, a pixel's share of them. Where src comes from
// memory, windows of two or three rows are too short runs for the hardware to do it: 1.4 times as fast on Zen 5, and
// 1.9 together with stores past the caches.
void AskForNextRow(PoolGeometry g, PoolForwardRow f, std::int64_t q) {
  constexpr std::int64_t kLine = 16;  // floats
  const std::int64_t below = g.rows.first(f.row) + g.rows.taps, pixel = q * g.columns.stride;
  const std::int64_t end = std::min(g.rows.image, below + g.rows.stride);
  const std::int64_t pixels = std::min(g.columns.stride, g.columns.image - pixel);
  for (std::int64_t row = below; row < end; ++row)
    for (std::int64_t c = 0; c < pixels * g.bc; c += kLine) hwy::Prefetch(f.src + row * f.next_row + pixel * g.bc + c);
}

void MaxRow(PoolGeometry g, PoolForwardRow f) {
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst) && AlignedVectors(g.bc, f.indices);
  const Range rows = g.rows.taps_in_image(f.row);
  const float* const top = f.src + (g.rows.first(f.row) + rows.begin) * f.next_row;
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Range columns = g.columns.taps_in_image(q);
    const Window window{rows, columns, top + (g.columns.first(q) + columns.begin) * g.bc};
    if (f.stream) AskForNextRow(g, f, q);
    if (rows.size() == 3 && columns.size() == 3) {
      MaxPixel<3>(window, g, f, q, stream);
    } else if (rows.size() == 2 && columns.size() == 2) {
      MaxPixel<2>(window, g, f, q, stream);
    } else {
      MaxPixel<0>(window, g, f, q, stream);
    }
  }
}

void AverageRow(PoolGeometry g, PoolForwardRow f) {
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst);
  const Range rows = g.rows.taps_in_image(f.row);
  const float* const top = f.src + (g.rows.first(f.row) + rows.begin) * f.next_row;
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Range columns = g.columns.taps_in_image(q);
    const float* const corner = top + (g.columns.first(q) + columns.begin) * g.bc;
    const float share = g.row_shares[f.row] * g.column_shares[q];
    ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, g.bc, [&](auto d, std::int64_t j) HWY_ATTR {
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
  const auto at = [=](std::int64_t p, std::int64_t q, auto d, std::int64_t j, auto that) HWY_ATTR {
    return part(d, windows.gradient + p * windows.next_gradient + q * bc + j,
                windows.index + p * windows.next_index + q * bc + j, that);
  };
  if constexpr (kKnown) {
    const auto of00 = of(0, 0), of01 = kColumns > 1 ? of(0, 1) : of00, of10 = kRows > 1 ? of(1, 0) : of00,
               of11 = kRows > 1 && kColumns > 1 ? of(1, 1) : of00;
    ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) HWY_ATTR {
      auto sum = at(0, 0, d, j, of00);
      if constexpr (kColumns > 1) sum = hn::Add(sum, at(0, 1, d, j, of01));
      if constexpr (kRows > 1) sum = hn::Add(sum, at(1, 0, d, j, of10));
      if constexpr (kRows > 1 && kColumns > 1) sum = hn::Add(sum, at(1, 1, d, j, of11));
      StoreOrStream(sum, d, dsrc + j, stream);
    });
  } else {
    ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) HWY_ATTR {
      auto sum = hn::Zero(d);
      for (std::int64_t p = 0; p < windows.rows; ++p)
        for (std::int64_t q = 0; q < windows.columns; ++q) sum = hn::Add(sum, at(p, q, d, j, of(p, q)));
      StoreOrStream(sum, d, dsrc + j, stream);
    });
  }
}

// of(tap, p, q): what a pixel must know of window (p, q), of which it is that tap. part(d, gradient, index, that): what
// it has of the gradient and of the index at these places.
template <int kRows, class Of, class Part>
HWY_INLINE void GatherPixels(PoolGeometry g, Range rows, PoolBackwardRow b, Of of, Part part) {
  const bool stream = b.stream && AlignedVectors(g.bc, b.dsrc);
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

void MaxGradientRow(PoolGeometry g, PoolBackwardRow b) {
  GatherRow(
      g, b, [](std::int64_t tap, std::int64_t, std::int64_t) { return static_cast<std::int32_t>(tap); },
      [=](auto d, std::int64_t gradient, std::int64_t index, std::int32_t tap) HWY_ATTR {
        const hn::RebindToSigned<decltype(d)> di;
        const auto is_largest = hn::Eq(hn::LoadU(di, b.indices + index), hn::Set(di, tap));
        return hn::IfThenElseZero(hn::RebindMask(d, is_largest), hn::LoadU(d, b.ddst + gradient));
      });
}

void AverageGradientRow(PoolGeometry g, PoolBackwardRow b) {
  GatherRow(
      g, b, [=](std::int64_t, std::int64_t p, std::int64_t q) { return g.row_shares[p] * g.column_shares[q]; },
      [=](auto d, std::int64_t gradient, std::int64_t, float share)
          HWY_ATTR { return hn::Mul(hn::LoadU(d, b.ddst + gradient), hn::Set(d, share)); });
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
