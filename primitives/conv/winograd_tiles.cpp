#include "conv/winograd_tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/winograd_tiles.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct Four {
  V v0, v1, v2, v3;
};

// A row of places, from this one on; `place` is then the next row's.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreRow(D d, Four<V> of, float*& place, std::int64_t next) {
  hn::StoreU(of.v0, d, place);
  hn::StoreU(of.v1, d, place + next);
  hn::StoreU(of.v2, d, place + 2 * next);
  hn::StoreU(of.v3, d, place + 3 * next);
  place += 4 * next;
}

// B^T times a column of d.
template <class V>
HWY_INLINE Four<V> OfSrc(V d0, V d1, V d2, V d3) {
  return {hn::Sub(d0, d2), hn::Add(d1, d2), hn::Sub(d2, d1), hn::Sub(d1, d3)};
}

// Neighbours share two columns of d, so that all tiles pass for a vector of features: 8 loads and 24 sums a tile, not
// 16 and 32.
void TransformSrc(WinogradSrcTiles t, float* to, std::int64_t next) {
  const hn::ScalableTag<float> full;
  ForEachVector(full, std::int64_t{0}, t.bc, [=](auto d, std::int64_t j) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    const auto pixel = [=](int row, std::int64_t column) HWY_ATTR -> V {
      return t.rows[row] == nullptr ? hn::Zero(d) : hn::LoadU(d, t.rows[row] + column * t.bc + j);
    };
    const auto column = [=](std::int64_t at) HWY_ATTR -> Four<V> {
      if (at < 0 || at >= t.columns) return {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      return OfSrc(pixel(0, at), pixel(1, at), pixel(2, at), pixel(3, at));
    };
    auto c0 = column(t.first), c1 = column(t.first + 1);
    for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
      const std::int64_t at = t.first + tile * kWinogradTile;
      const auto c2 = column(at + 2), c3 = column(at + 3);
      float* place = to + tile * t.bc + j;
      StoreRow(d, OfSrc(c0.v0, c1.v0, c2.v0, c3.v0), place, next);
      StoreRow(d, OfSrc(c0.v1, c1.v1, c2.v1, c3.v1), place, next);
      StoreRow(d, OfSrc(c0.v2, c1.v2, c2.v2, c3.v2), place, next);
      StoreRow(d, OfSrc(c0.v3, c1.v3, c2.v3, c3.v3), place, next);
      c0 = c2, c1 = c3;
    }
  });
}

void TransformDst(const float* from, std::int64_t next, WinogradDstTiles<float> t) {
  const hn::ScalableTag<float> full;
  for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
    const std::int64_t column = tile * kWinogradTile;
    const bool second = column + 1 < t.columns;
    ForEachVector(full, std::int64_t{0}, t.bk, [=](auto d, std::int64_t j) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      const float* const first = from + tile * t.bk + j;
      const auto place = [=](int row, int col) HWY_ATTR -> V { return hn::LoadU(d, first + (4 * row + col) * next); };
      const auto upper = [=](int col)
                             HWY_ATTR -> V { return hn::Add(hn::Add(place(0, col), place(1, col)), place(2, col)); };
      const auto lower = [=](int col)
                             HWY_ATTR -> V { return hn::Sub(hn::Sub(place(1, col), place(2, col)), place(3, col)); };
      const auto store_row = [=](float* row, V m0, V m1, V m2, V m3) HWY_ATTR {
        if (row == nullptr) return;
        float* const pixel = row + column * t.bk + j;
        hn::StoreU(hn::Add(hn::Add(m0, m1), m2), d, pixel);
        if (second) hn::StoreU(hn::Sub(hn::Sub(m1, m2), m3), d, pixel + t.bk);
      };
      store_row(t.rows[0], upper(0), upper(1), upper(2), upper(3));
      store_row(t.rows[1], lower(0), lower(1), lower(2), lower(3));
    });
  }
}

// G times a column of w.
template <class V>
HWY_INLINE Four<V> OfWeights(V w0, V w1, V w2) {
  const hn::DFromV<V> d;
  const auto half = hn::Set(d, 0.5F), ends = hn::Add(w0, w2);
  return {w0, hn::Mul(half, hn::Add(ends, w1)), hn::Mul(half, hn::Sub(ends, w1)), w2};
}

void TransformWeights(const float* taps, std::int64_t elements, float* to, std::int64_t next) {
  const hn::ScalableTag<float> full;
  ForEachVector(full, std::int64_t{0}, elements, [=](auto d, std::int64_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    const auto column = [=](int col) HWY_ATTR -> Four<V> {
      const float* const first = taps + col * elements + i;
      return OfWeights(hn::LoadU(d, first), hn::LoadU(d, first + 3 * elements), hn::LoadU(d, first + 6 * elements));
    };
    const auto c0 = column(0), c1 = column(1), c2 = column(2);
    float* place = to + i;
    StoreRow(d, OfWeights(c0.v0, c1.v0, c2.v0), place, next);
    StoreRow(d, OfWeights(c0.v1, c1.v1, c2.v1), place, next);
    StoreRow(d, OfWeights(c0.v2, c1.v2, c2.v2), place, next);
    StoreRow(d, OfWeights(c0.v3, c1.v3, c2.v3), place, next);
  });
}

// A times a column of e.
template <class V>
HWY_INLINE Four<V> OfDstGradient(V e0, V e1) {
  return {e0, hn::Add(e0, e1), hn::Sub(e0, e1), hn::Neg(e1)};
}

void TransformDstGradient(WinogradDstTiles<const float> t, float* to, std::int64_t next) {
  const hn::ScalableTag<float> full;
  for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
    const std::int64_t column = tile * kWinogradTile;
    ForEachVector(full, std::int64_t{0}, t.bk, [=](auto d, std::int64_t j) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      const auto pixel = [=](int row, std::int64_t at) HWY_ATTR -> V {
        return t.rows[row] == nullptr || at >= t.columns ? hn::Zero(d) : hn::LoadU(d, t.rows[row] + at * t.bk + j);
      };
      const auto left = OfDstGradient(pixel(0, column), pixel(1, column));
      const auto right = OfDstGradient(pixel(0, column + 1), pixel(1, column + 1));
      float* place = to + tile * t.bk + j;
      StoreRow(d, OfDstGradient(left.v0, right.v0), place, next);
      StoreRow(d, OfDstGradient(left.v1, right.v1), place, next);
      StoreRow(d, OfDstGradient(left.v2, right.v2), place, next);
      StoreRow(d, OfDstGradient(left.v3, right.v3), place, next);
    });
  }
}

template <class V>
struct Three {
  V v0, v1, v2;
};

// G^T times a column of sums.
template <class V>
HWY_INLINE Three<V> OfWeightGradient(V u0, V u1, V u2, V u3) {
  const auto half = hn::Set(hn::DFromV<V>(), 0.5F), sum = hn::Mul(half, hn::Add(u1, u2));
  return {hn::Add(u0, sum), hn::Mul(half, hn::Sub(u1, u2)), hn::Add(sum, u3)};
}

void TransformWeightGradient(const float* from, std::int64_t next, std::int64_t elements, float* taps) {
  const hn::ScalableTag<float> full;
  ForEachVector(full, std::int64_t{0}, elements, [=](auto d, std::int64_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    const auto column = [=](int col) HWY_ATTR -> Three<V> {
      const auto place = [=](int row) HWY_ATTR -> V { return hn::LoadU(d, from + (4 * row + col) * next + i); };
      return OfWeightGradient(place(0), place(1), place(2), place(3));
    };
    const auto c0 = column(0), c1 = column(1), c2 = column(2), c3 = column(3);
    const auto store_row = [=](float* row, V u0, V u1, V u2, V u3) HWY_ATTR {
      const auto of = OfWeightGradient(u0, u1, u2, u3);
      hn::StoreU(of.v0, d, row + i);
      hn::StoreU(of.v1, d, row + elements + i);
      hn::StoreU(of.v2, d, row + 2 * elements + i);
    };
    store_row(taps, c0.v0, c1.v0, c2.v0, c3.v0);
    store_row(taps + 3 * elements, c0.v1, c1.v1, c2.v1, c3.v1);
    store_row(taps + 6 * elements, c0.v2, c1.v2, c2.v2, c3.v2);
  });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(TransformSrc);
HWY_EXPORT(TransformDst);
HWY_EXPORT(TransformWeights);
HWY_EXPORT(TransformDstGradient);
HWY_EXPORT(TransformWeightGradient);

void transform_src(const WinogradSrcTiles& tiles, float* to, std::int64_t next) {
  BRICKWORK_CHOSEN(TransformSrc);
  chosen(tiles, to, next);
}

void transform_dst(const float* from, std::int64_t next, const WinogradDstTiles<float>& tiles) {
  BRICKWORK_CHOSEN(TransformDst);
  chosen(from, next, tiles);
}

void transform_weights(const float* taps, std::int64_t elements, float* to, std::int64_t next) {
  BRICKWORK_CHOSEN(TransformWeights);
  chosen(taps, elements, to, next);
}

void transform_dst_gradient(const WinogradDstTiles<const float>& tiles, float* to, std::int64_t next) {
  BRICKWORK_CHOSEN(TransformDstGradient);
  chosen(tiles, to, next);
}

void transform_weight_gradient(const float* from, std::int64_t next, std::int64_t elements, float* taps) {
  BRICKWORK_CHOSEN(TransformWeightGradient);
  chosen(from, next, elements, taps);
}

}  // namespace brickwork
#endif
