#include "primitives/conv/winograd/winograd_tiles.hpp"

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/conv/winograd/winograd_tiles.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must follow foreach_target.h.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V, std::size_t kCount>
using Column = std::array<V, kCount>;

template <class V>
HWY_INLINE V Times(float factor, V x) {
  return hn::Mul(hn::Set(hn::DFromV<V>(), factor), x);
}
template <class V>
HWY_INLINE V TimesAnd(float factor, V x, V more) {
  return hn::MulAdd(hn::Set(hn::DFromV<V>(), factor), x, more);
}
template <class V>
HWY_INLINE V Without(V from, float factor, V x) {
  return hn::NegMulAdd(hn::Set(hn::DFromV<V>(), factor), x, from);
}

// B^T, G and A^T times a column; for gradients, A and G^T times a column.
template <int kTile>
struct Minimal;

template <>
struct Minimal<2> {
  template <class V>
  static HWY_INLINE Column<V, 4> Src(const Column<V, 4>& d) {
    return {hn::Sub(d[0], d[2]), hn::Add(d[1], d[2]), hn::Sub(d[2], d[1]), hn::Sub(d[1], d[3])};
  }
  template <class V>
  static HWY_INLINE Column<V, 4> Weights(const Column<V, 3>& w) {
    const V ends = hn::Add(w[0], w[2]);
    return {w[0], Times(0.5F, hn::Add(ends, w[1])), Times(0.5F, hn::Sub(ends, w[1])), w[2]};
  }
  template <class V>
  static HWY_INLINE Column<V, 2> Dst(const Column<V, 4>& m) {
    return {hn::Add(hn::Add(m[0], m[1]), m[2]), hn::Sub(hn::Sub(m[1], m[2]), m[3])};
  }
  template <class V>
  static HWY_INLINE Column<V, 4> DstGradient(const Column<V, 2>& e) {
    return {e[0], hn::Add(e[0], e[1]), hn::Sub(e[0], e[1]), hn::Neg(e[1])};
  }
  template <class V>
  static HWY_INLINE Column<V, 3> WeightGradient(const Column<V, 4>& u) {
    const V sum = Times(0.5F, hn::Add(u[1], u[2]));
    return {hn::Add(u[0], sum), Times(0.5F, hn::Sub(u[1], u[2])), hn::Add(sum, u[3])};
  }
};

template <>
struct Minimal<4> {
  // a and b of the header, and their powers.
  static constexpr float kA = 0.625F, kA2 = kA * kA, kB = 1.5F, kB2 = kB * kB;
  static constexpr float kOfZero = 1 / (kA2 * kB2), kOfA = 1 / (2 * kA2 * (kA2 - kB2)),
                         kOfB = 1 / (2 * kB2 * (kB2 - kA2));

  template <class V>
  static HWY_INLINE Column<V, 6> Src(const Column<V, 6>& d) {
    const V even = Without(d[4], kB2, d[2]), odd = Without(d[3], kB2, d[1]);
    const V even2 = Without(d[4], kA2, d[2]), odd2 = Without(d[3], kA2, d[1]);
    return {Without(even2, kB2, Without(d[2], kA2, d[0])),
            TimesAnd(kA, odd, even),
            Without(even, kA, odd),
            TimesAnd(kB, odd2, even2),
            Without(even2, kB, odd2),
            Without(Without(d[5], kB2, d[3]), kA2, odd)};
  }
  template <class V>
  static HWY_INLINE Column<V, 6> Weights(const Column<V, 3>& w) {
    const V even = Times(kOfA, TimesAnd(kA2, w[2], w[0])), even2 = Times(kOfB, TimesAnd(kB2, w[2], w[0]));
    return {Times(kOfZero, w[0]),
            TimesAnd(kOfA * kA, w[1], even),
            Without(even, kOfA * kA, w[1]),
            TimesAnd(kOfB * kB, w[1], even2),
            Without(even2, kOfB * kB, w[1]),
            w[2]};
  }
  template <class V>
  static HWY_INLINE Column<V, 4> Dst(const Column<V, 6>& m) {
    const V even = hn::Add(m[1], m[2]), odd = hn::Sub(m[1], m[2]);
    const V even2 = hn::Add(m[3], m[4]), odd2 = hn::Sub(m[3], m[4]);
    return {hn::Add(hn::Add(m[0], even), even2), TimesAnd(kA, odd, Times(kB, odd2)),
            TimesAnd(kA2, even, Times(kB2, even2)), TimesAnd(kA2 * kA, odd, TimesAnd(kB2 * kB, odd2, m[5]))};
  }
  template <class V>
  static HWY_INLINE Column<V, 6> DstGradient(const Column<V, 4>& e) {
    const V even = TimesAnd(kA2, e[2], e[0]), odd = Times(kA, TimesAnd(kA2, e[3], e[1]));
    const V even2 = TimesAnd(kB2, e[2], e[0]), odd2 = Times(kB, TimesAnd(kB2, e[3], e[1]));
    return {e[0], hn::Add(even, odd), hn::Sub(even, odd), hn::Add(even2, odd2), hn::Sub(even2, odd2), e[3]};
  }
  template <class V>
  static HWY_INLINE Column<V, 3> WeightGradient(const Column<V, 6>& u) {
    const V even = Times(kOfA, hn::Add(u[1], u[2])), odd = Times(kOfA * kA, hn::Sub(u[1], u[2]));
    const V even2 = Times(kOfB, hn::Add(u[3], u[4])), odd2 = hn::Sub(u[3], u[4]);
    return {TimesAnd(kOfZero, u[0], hn::Add(even, even2)), TimesAnd(kOfB * kB, odd2, odd),
            TimesAnd(kA2, even, TimesAnd(kB2, even2, u[5]))};
  }
};

// Calls body(0), body(1), ..., body(kCount - 1) with compile-time constants.
template <std::size_t kCount, class Body>
HWY_INLINE void Unrolled(const Body& body) {
  [&]<std::size_t... i>(std::index_sequence<i...>) BRICKWORK_INLINE_ATTR {
    (body(std::integral_constant<std::int64_t, static_cast<std::int64_t>(i)>()), ...);
  }
  (std::make_index_sequence<kCount>());
}

template <class V, std::size_t kCount, class Of>
HWY_INLINE Column<V, kCount> ColumnOf(const Of& of) {
  Column<V, kCount> column;
  Unrolled<kCount>([&](auto i) BRICKWORK_INLINE_ATTR { column[i] = of(i); });
  return column;
}

// Calls body(d, i) for the vectors of `count` elements. The last vector may overlap the one before, whose elements are
// then done twice. Fewer elements than a vector are done one by one. (Shorter vectors for the rest took a third of the
// compile time.)
template <class Body>
HWY_INLINE void ForEachOf(std::int64_t count, const Body& body) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count >= lanes) {
    for (std::int64_t i = 0; i < count; i += lanes) body(d, std::min(i, count - lanes));
  } else if constexpr (hn::MaxLanes(hn::ScalableTag<float>()) > 1) {
    for (std::int64_t i = 0; i < count; ++i) body(hn::CappedTag<float, 1>(), i);
  }
}

// Multiply a matrix from both sides. FromBothSides() applies by() to each column, whose elements are load(row, column).
// FromTheRight() applies by() to each row of these results and passes it to store(row, elements).
template <class V, std::size_t kRows, std::size_t kColumns, class By, class Store>
HWY_INLINE void FromTheRight(const std::array<Column<V, kRows>, kColumns>& columns, const By& by, const Store& store) {
  Unrolled<kRows>([&](auto row) BRICKWORK_INLINE_ATTR {
    store(row, by(ColumnOf<V, kColumns>([&](auto col) BRICKWORK_INLINE_ATTR { return columns[col][row]; })));
  });
}
template <class V, std::size_t kRows, std::size_t kColumns, class By, class Load, class Store>
HWY_INLINE void FromBothSides(const By& by, const Load& load, const Store& store) {
  const auto column = [&](auto col) BRICKWORK_INLINE_ATTR {
    return by(ColumnOf<V, kRows>([&](auto row) BRICKWORK_INLINE_ATTR { return load(row, col); }));
  };
  FromTheRight(ColumnOf<decltype(column(std::int64_t())), kColumns>(column), by, store);
}

// Stores a row of places, each into its own matrix; the first matrix begins at `to`, and they are `next` floats apart.
template <class D>
struct RowOfPlaces {
  D d;
  float* to;
  std::int64_t next;

  template <class Row>
  HWY_INLINE void operator()(std::int64_t row, const Row& places) const {
    constexpr std::int64_t kEdge = std::tuple_size<Row>::value;
    Unrolled<kEdge>([&](auto col)
                        BRICKWORK_INLINE_ATTR { hn::StoreU(places[col], d, to + (row * kEdge + col) * next); });
  }
};
template <class D>
RowOfPlaces(D, float*, std::int64_t) -> RowOfPlaces<D>;  // clang 16 needs this guide

// Handles all tiles for one vector of features, as neighbouring tiles share two columns of d: with m = 2 a tile takes 8
// loads and 24 additions, not 16 and 32.
template <int kTile>
void SrcTiles(WinogradSrcTiles t, float* to, std::int64_t next) {
  constexpr int kEdge = kTile + 2;
  ForEachOf(t.bc, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
    using V = hn::Vec<decltype(d)>;
    const auto by = [](const auto& column) BRICKWORK_INLINE_ATTR { return Minimal<kTile>::Src(column); };
    const auto column = [=](std::int64_t at) BRICKWORK_INLINE_ATTR {
      const bool outside = at < 0 || at >= t.columns;
      return by(ColumnOf<V, kEdge>([=](auto row) BRICKWORK_INLINE_ATTR {
        return outside || t.rows[row] == nullptr ? hn::Zero(d) : hn::LoadU(d, t.rows[row] + at * t.bc + j);
      }));
    };
    Column<Column<V, kEdge>, kEdge> columns;
    columns[kTile] = column(t.first), columns[kTile + 1] = column(t.first + 1);
    for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
      columns[0] = columns[kTile], columns[1] = columns[kTile + 1];
      Unrolled<kTile>([&](auto i) BRICKWORK_INLINE_ATTR { columns[2 + i] = column(t.first + tile * kTile + 2 + i); });
      FromTheRight(columns, by, RowOfPlaces{d, to + tile * t.bc + j, next});
    }
  });
}

template <int kTile>
void DstTiles(const float* from, std::int64_t next, WinogradDstTiles<float> t) {
  constexpr int kEdge = kTile + 2;
  for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
    const std::int64_t column = tile * kTile, columns = t.columns - column;
    ForEachOf(t.bk, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
      const float* const first = from + tile * t.bk + j;
      FromBothSides<hn::Vec<decltype(d)>, kEdge, kEdge>(
          [](const auto& places) BRICKWORK_INLINE_ATTR { return Minimal<kTile>::Dst(places); },
          [=](auto row, auto col) BRICKWORK_INLINE_ATTR { return hn::LoadU(d, first + (kEdge * row + col) * next); },
          [=](auto row, const auto& pixels) BRICKWORK_INLINE_ATTR {
            if (t.rows[row] == nullptr) return;
            float* const to = t.rows[row] + column * t.bk + j;
            Unrolled<kTile>([&](auto i) BRICKWORK_INLINE_ATTR {
              if (i < columns) hn::StoreU(pixels[i], d, to + i * t.bk);
            });
          });
    });
  }
}

template <int kTile>
void WeightTiles(const float* taps, std::int64_t elements, float* to, std::int64_t next) {
  ForEachOf(elements, [=](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR {
    FromBothSides<hn::Vec<decltype(d)>, 3, 3>(
        [](const auto& column) BRICKWORK_INLINE_ATTR { return Minimal<kTile>::Weights(column); },
        [=](auto row, auto col) BRICKWORK_INLINE_ATTR { return hn::LoadU(d, taps + (3 * row + col) * elements + i); },
        RowOfPlaces{d, to + i, next});
  });
}

template <int kTile>
void DstGradientTiles(WinogradDstTiles<const float> t, float* to, std::int64_t next) {
  for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
    const std::int64_t column = tile * kTile, columns = t.columns - column;
    ForEachOf(t.bk, [=](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
      FromBothSides<hn::Vec<decltype(d)>, kTile, kTile>(
          [](const auto& pixels) BRICKWORK_INLINE_ATTR { return Minimal<kTile>::DstGradient(pixels); },
          [=](auto row, auto col) BRICKWORK_INLINE_ATTR {
            return t.rows[row] == nullptr || col >= columns ? hn::Zero(d)
                                                            : hn::LoadU(d, t.rows[row] + (column + col) * t.bk + j);
          },
          RowOfPlaces{d, to + tile * t.bk + j, next});
    });
  }
}

template <int kTile>
void WeightGradientTiles(const float* from, std::int64_t next, std::int64_t elements, float* taps) {
  constexpr int kEdge = kTile + 2;
  ForEachOf(elements, [=](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR {
    FromBothSides<hn::Vec<decltype(d)>, kEdge, kEdge>(
        [](const auto& sums) BRICKWORK_INLINE_ATTR { return Minimal<kTile>::WeightGradient(sums); },
        [=](auto row, auto col) BRICKWORK_INLINE_ATTR { return hn::LoadU(d, from + (kEdge * row + col) * next + i); },
        RowOfPlaces{d, taps + i, elements});
  });
}

template <int kTile>
constexpr WinogradTransforms kTransforms{.src = SrcTiles<kTile>,
                                         .dst = DstTiles<kTile>,
                                         .weights = WeightTiles<kTile>,
                                         .dst_gradient = DstGradientTiles<kTile>,
                                         .weight_gradient = WeightGradientTiles<kTile>};

WinogradTransforms Transforms(std::int64_t tile) { return tile == 2 ? kTransforms<2> : kTransforms<4>; }

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(Transforms);

WinogradTransforms winograd_transforms(std::int64_t tile) {
  BRICKWORK_CHOSEN(Transforms);
  return chosen(tile);
}

}  // namespace brickwork
#endif
