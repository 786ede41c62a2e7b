#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "primitives/pool/pool_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/pool/pool_gradient_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Range = PoolAxis::Range;

template <class DI>
HWY_INLINE hn::Vec<DI> LoadIndices(DI di, const std::uint8_t* from) {
  return hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::uint8_t, DI>(), from));
}
template <class DI>
HWY_INLINE hn::Vec<DI> LoadIndices(DI di, const std::int32_t* from) {
  return hn::LoadU(di, from);
}

// A kind of pooling (Parts) has: OfWindow(p, q), where a window's values are; OfTap(tap), a code for the window's tap
// that covers a pixel (tap below 0: none does); Load(d, window, j), the window's values for the channels from j on;
// Part(d, loaded, of_tap), the pixel's part of them, or zeros if no tap covers it.
template <class Index>
struct MaxParts {
  PoolGeometry g;
  PoolBackwardRows b;

  struct Window {
    const float* gradient;
    const Index* largest;
  };
  template <class D>
  struct Loaded {
    hn::Vec<D> gradient;
    hn::Vec<hn::RebindToSigned<D>> largest;
  };
  HWY_INLINE Window OfWindow(std::int64_t p, std::int64_t q) const {
    return {b.ddst + p * b.next_row + q * g.bc,
            reinterpret_cast<const Index*>(b.indices) + (p * g.columns.outputs + q) * g.bc};
  }
  HWY_INLINE static std::int32_t OfTap(std::int32_t tap) { return tap; }
  template <class D>
  HWY_INLINE static Loaded<D> Load(D d, Window window, std::int64_t j) {
    return {hn::LoadU(d, window.gradient + j), LoadIndices(hn::RebindToSigned<D>(), window.largest + j)};
  }
  template <class D>
  HWY_INLINE static hn::Vec<D> Part(D d, Loaded<D> of, std::int32_t tap) {
    const auto is_largest = hn::Eq(of.largest, hn::Set(hn::RebindToSigned<D>(), tap));
    return hn::IfThenElseZero(hn::RebindMask(d, is_largest), of.gradient);
  }
};

struct AverageParts {
  PoolGeometry g;
  PoolBackwardRows b;

  struct Window {
    const float* gradient;
    float share;
  };
  HWY_INLINE Window OfWindow(std::int64_t p, std::int64_t q) const {
    return {b.ddst + p * b.next_row + q * g.bc, g.row_shares[p] * g.column_shares[q]};
  }
  HWY_INLINE static std::int32_t OfTap(std::int32_t tap) { return tap < 0 ? 0 : -1; }
  template <class D>
  HWY_INLINE static hn::Vec<D> Load(D d, Window window, std::int64_t j) {
    return hn::Mul(hn::LoadU(d, window.gradient + j), hn::Set(d, window.share));
  }
  template <class D>
  HWY_INLINE static hn::Vec<D> Part(D d, hn::Vec<D> of, std::int32_t all_or_no_bits) {
    return hn::And(of, hn::BitCast(d, hn::Set(hn::RebindToSigned<D>(), all_or_no_bits)));  // clears NaN, too
  }
};

// A block of kRows x kColumns pixels from (h, w) on, and the rows and columns of windows that they are in.
struct Block {
  std::int64_t h, w;
  Range rows, columns;
  float* dsrc;
  bool stream;
};

template <class Parts, int kPixels>
struct WindowOfBlock {
  typename Parts::Window window;
  std::int32_t of_tap[kPixels];
};

// Writes `found` in place: a copy would wait until all its pieces are stored.
template <int kRows, int kColumns, class Parts>
HWY_INLINE void Find(const Parts& parts, const Block& block, std::int64_t p, std::int64_t q,
                     WindowOfBlock<Parts, kRows * kColumns>& found) {
  const PoolAxis &rows = parts.g.rows, &columns = parts.g.columns;
  const std::int64_t first_r = block.h - rows.first(p), first_s = block.w - columns.first(q);
  // Below 0 if the pixel is outside the axis' taps.
  const auto part_of_tap = [](std::int64_t at, std::int64_t taps, std::int64_t step) {
    constexpr std::int64_t kNone = std::numeric_limits<std::int32_t>::min() / 2;
    const bool there = static_cast<std::uint64_t>(at) < static_cast<std::uint64_t>(taps);
    return static_cast<std::int32_t>(there ? at * step : kNone);
  };
  found.window = parts.OfWindow(p, q);
#pragma GCC unroll 4
  for (int i = 0; i < kRows * kColumns; ++i) {
    found.of_tap[i] = Parts::OfTap(part_of_tap(first_r + i / kColumns, rows.taps, columns.taps) +
                                   part_of_tap(first_s + i % kColumns, columns.taps, 1));
  }
}

template <class D, int kPixels>
struct Sums {
  hn::Vec<D> of[kPixels];

  HWY_INLINE explicit Sums(D d) {
#pragma GCC unroll 4
    for (int i = 0; i < kPixels; ++i) of[i] = hn::Zero(d);
  }
  template <class Parts>
  HWY_INLINE void Add(D d, std::int64_t j, const WindowOfBlock<Parts, kPixels>& window) {
    const auto loaded = Parts::Load(d, window.window, j);
#pragma GCC unroll 4
    for (int i = 0; i < kPixels; ++i) of[i] = hn::Add(of[i], Parts::Part(d, loaded, window.of_tap[i]));
  }
  HWY_INLINE void Store(D d, float* to, std::int64_t next_row, std::int64_t next_column, int columns,
                        bool stream) const {
#pragma GCC unroll 4
    for (int i = 0; i < kPixels; ++i)
      StoreOrStream(of[i], d, to + i / columns * next_row + i % columns * next_column, stream);
  }
};

// Each pixel is the sum over those of the block's kP x kQ windows that it is in. A window's values are loaded once for
// all pixels, and two rows are stored at once. ResNet-50's pooling of 28 images, with windows of 3 x 3 pixels and a
// stride of 2, takes 0.6 to 0.75 of the time of a loop over single pixels, depending on the memory (Zen 5).
template <int kRows, int kColumns, int kP, int kQ, class Parts>
HWY_INLINE void GatherKnown(const Parts& parts, const Block& block) {
  constexpr int kPixels = kRows * kColumns;
  WindowOfBlock<Parts, kPixels> windows[kP * kQ];
#pragma GCC unroll 4
  for (int n = 0; n < kP * kQ; ++n)
    Find<kRows, kColumns>(parts, block, block.rows.begin + n / kQ, block.columns.begin + n % kQ, windows[n]);
  const std::int64_t bc = parts.g.bc, next_row = parts.b.next_dsrc_row;
  float* const dsrc = block.dsrc;
  const bool stream = block.stream;
  ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
    Sums<decltype(d), kPixels> sums(d);
#pragma GCC unroll 4
    for (int n = 0; n < kP * kQ; ++n) sums.Add(d, j, windows[n]);
    sums.Store(d, dsrc + j, next_row, bc, kColumns, stream);
  });
}

template <int kRows, int kColumns, class Parts>
HWY_INLINE void GatherAny(const Parts& parts, const Block& block) {
  constexpr int kPixels = kRows * kColumns;
  constexpr std::int64_t kFew = 16;
  const std::int64_t bc = parts.g.bc, next_row = parts.b.next_dsrc_row,
                     count = block.rows.size() * block.columns.size();
  float* const dsrc = block.dsrc;
  const bool stream = block.stream;
  WindowOfBlock<Parts, kPixels> few[kFew];
  std::vector<WindowOfBlock<Parts, kPixels>> many(static_cast<std::size_t>(count <= kFew ? 0 : count));
  auto *const first = count <= kFew ? few : many.data(), *end = first;
  for (std::int64_t p = block.rows.begin; p < block.rows.end; ++p)
    for (std::int64_t q = block.columns.begin; q < block.columns.end; ++q)
      Find<kRows, kColumns>(parts, block, p, q, *end++);
  ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, bc, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
    Sums<decltype(d), kPixels> sums(d);
    for (const auto* window = first; window != end; ++window) sums.Add(d, j, *window);
    sums.Store(d, dsrc + j, next_row, bc, kColumns, stream);
  });
}

template <int kRows, int kColumns, class Parts>
HWY_INLINE void GatherBlock(const Parts& parts, const Block& block) {
  if constexpr (kRows == 2 && kColumns == 2) {  // the last row and column of an odd image would double this code
    if (block.rows.size() == 1 && block.columns.size() == 1) return GatherKnown<kRows, kColumns, 1, 1>(parts, block);
    if (block.rows.size() == 2 && block.columns.size() == 2) return GatherKnown<kRows, kColumns, 2, 2>(parts, block);
  }
  GatherAny<kRows, kColumns>(parts, block);
}

template <int kRows, class Parts>
HWY_INLINE void GatherRowOfBlocks(const Parts& parts, std::int64_t h, float* dsrc, bool stream) {
  const PoolGeometry& g = parts.g;
  const Range rows{g.rows.windows_of(h).begin, g.rows.windows_of(h + kRows - 1).end};
  std::int64_t w = 0;
  for (; w + 2 <= g.columns.image; w += 2) {
    const Range columns{g.column_windows[w].begin, g.column_windows[w + 1].end};
    GatherBlock<kRows, 2>(parts, {h, w, rows, columns, dsrc + w * g.bc, stream});
  }
  if (w < g.columns.image) GatherBlock<kRows, 1>(parts, {h, w, rows, g.column_windows[w], dsrc + w * g.bc, stream});
}

bool Streams(const PoolGeometry& g, const PoolBackwardRows& b) {
  return b.stream && AlignedVectors(g.bc, b.dsrc) && AlignedVectors(b.next_dsrc_row, b.dsrc);
}

// One function per kind: max pooling takes 1.06 times as long in a function with all kinds (AVX-512).
template <class Parts>
HWY_NOINLINE void GatherRows(Parts parts) {
  const PoolBackwardRows& b = parts.b;
  const bool stream = Streams(parts.g, b);
  std::int64_t h = b.begin;
  float* dsrc = b.dsrc;
  for (; h + 2 <= b.end; h += 2, dsrc += 2 * b.next_dsrc_row) GatherRowOfBlocks<2>(parts, h, dsrc, stream);
  if (h < b.end) GatherRowOfBlocks<1>(parts, h, dsrc, stream);
}

bool IsGlobal(const PoolAxis& axis) { return axis.outputs == 1 && axis.taps_in_image(0).size() == axis.image; }

// All pixels get the same gradient. ResNet-50's last pooling takes 0.8 to 0.9 of the time of blocks of 2 x 2 pixels,
// and 0.6 with blocks of 32 channels (Zen 5). A loop over all pixels for each vector would take twice as long (Zen 4).
HWY_INLINE void GiveToAll(const AverageParts& parts) {
  const PoolBackwardRows& b = parts.b;
  const std::int64_t bc = parts.g.bc, columns = parts.g.columns.image;
  const bool stream = Streams(parts.g, b);
  const auto window = parts.OfWindow(0, 0);
  ForEachVectors(bc, [=](auto d, auto vectors, std::int64_t j) BRICKWORK_INLINE_ATTR {
    constexpr int kVectors = decltype(vectors)::value;
    const std::size_t lanes = hn::Lanes(d);
    hn::Vec<decltype(d)> share[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) share[v] = AverageParts::Load(d, window, j + v * lanes);
    for (std::int64_t h = 0; h < b.end - b.begin; ++h) {
      for (std::int64_t w = 0; w < columns; ++w) {
        float* const pixel = b.dsrc + h * b.next_dsrc_row + w * bc + j;
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) StoreOrStream(share[v], d, pixel + v * lanes, stream);
      }
    }
  });
}

void PoolGradientRows(PoolGeometry g, PoolBackwardRows b) {
  if (g.max && g.index_bytes == 1) return GatherRows(MaxParts<std::uint8_t>{g, b});
  if (g.max) return GatherRows(MaxParts<std::int32_t>{g, b});
  if (IsGlobal(g.rows) && IsGlobal(g.columns)) return GiveToAll({g, b});
  GatherRows(AverageParts{g, b});
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(PoolGradientRows);

void pool_gradient_rows(const PoolGeometry& g, const PoolBackwardRows& rows) {
  BRICKWORK_CHOSEN(PoolGradientRows);
  chosen(g, rows);
}

}  // namespace brickwork
#endif
