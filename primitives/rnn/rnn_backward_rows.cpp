#include "rnn/rnn_backward_rows.hpp"

#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rnn/rnn_backward_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "curves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;  // divides bk
using V = hn::Vec<D>;

HWY_INLINE V From(const float* p) { return hn::LoadU(D(), p); }
HWY_INLINE void To(V value, float* p) { hn::StoreU(value, D(), p); }

// One vector of a row, and where it stands in its arrays.
struct GradientsAt {
  const RnnBackwardRows& r;
  std::int64_t gates, dgates, h, dh, c;

  HWY_INLINE V gate(int column) const { return From(r.gates + gates + column * r.bk); }
  HWY_INLINE void put(V value, int column) const { To(value, r.dgates + dgates + column * r.column_of_dgates); }
  HWY_INLINE V whole_dh() const { return hn::Add(From(r.dh + dh), From(r.dy + h)); }
};

// Through a sequence that has ended gradients pass as they are, and reach no gate.
template <class Vector>
HWY_INLINE void ForEachVectorOfRows(const RnnBackwardRows& r, int columns, const Vector& vector) {
  for (std::int64_t n = 0; n < r.rows; ++n) {
    const bool ended = r.lengths != nullptr && r.step >= r.lengths[n];
    for (std::int64_t j = 0; j < r.bk; j += static_cast<std::int64_t>(hn::Lanes(D()))) {
      const GradientsAt at{r,           n * columns * r.bk + j, n * r.row_of_dgates + j, n * r.ldh + j, n * r.lddh + j,
                           n * r.bk + j};
      if (!ended) {
        vector(at);
        continue;
      }
      for (int column = 0; column < columns; ++column) at.put(hn::Zero(D()), column);
    }
  }
}

// y (1 - y) and 1 - y^2: the derivatives of sigmoid and tanh where they gave y.
HWY_INLINE V SigmoidSlope(V y) { return hn::NegMulAdd(y, y, y); }
HWY_INLINE V TanhSlope(V y) { return hn::NegMulAdd(y, y, hn::Set(D(), 1.0f)); }

void LstmBackwardRows(const RnnBackwardRows& r) {
  ForEachVectorOfRows(r, 4, [&](const GradientsAt& at) HWY_ATTR {
    const V i = at.gate(0), f = at.gate(1), g = at.gate(2), o = at.gate(3);
    const V dh = at.whole_dh(), tanh_c = BoundedTanh(D(), From(r.c_after + at.c));
    const V dc = hn::MulAdd(hn::Mul(dh, o), TanhSlope(tanh_c), From(r.dc + at.c));
    at.put(hn::Mul(hn::Mul(dc, g), SigmoidSlope(i)), 0);
    at.put(hn::Mul(hn::Mul(dc, From(r.c_before + at.c)), SigmoidSlope(f)), 1);
    at.put(hn::Mul(hn::Mul(dc, i), TanhSlope(g)), 2);
    at.put(hn::Mul(hn::Mul(dh, tanh_c), SigmoidSlope(o)), 3);
    To(hn::Mul(dc, f), r.dc + at.c);
    To(hn::Zero(D()), r.dh + at.dh);
  });
}

// Of u h + (1 - u) o.
struct Mix {
  V du, d_o;
};
HWY_INLINE Mix MixBackward(const GradientsAt& at, V u, V o) {
  const V dh = at.whole_dh(), one = hn::Set(D(), 1.0f);
  To(hn::Mul(dh, u), at.r.dh + at.dh);
  return {hn::Mul(hn::Mul(dh, hn::Sub(From(at.r.h_before + at.h), o)), SigmoidSlope(u)),
          hn::Mul(hn::Mul(dh, hn::Sub(one, u)), TanhSlope(o))};
}

void GruBackwardRows(const RnnBackwardRows& r) {
  ForEachVectorOfRows(r, 3, [&](const GradientsAt& at) HWY_ATTR {
    const Mix d = MixBackward(at, at.gate(0), at.gate(2));
    at.put(d.du, 0);
    at.put(d.d_o, 2);
  });
}

void FinishGruBackwardRows(const RnnBackwardRows& r) {
  ForEachVectorOfRows(r, 3, [&](const GradientsAt& at) HWY_ATTR {
    const V reset = at.gate(1), d = From(r.dreset + at.dh);
    To(hn::MulAdd(d, reset, From(r.dh + at.dh)), r.dh + at.dh);
    at.put(hn::Mul(hn::Mul(d, From(r.h_before + at.h)), SigmoidSlope(reset)), 1);
  });
}

void LbrGruBackwardRows(const RnnBackwardRows& r) {
  ForEachVectorOfRows(r, 4, [&](const GradientsAt& at) HWY_ATTR {
    const V reset = at.gate(2);
    const Mix d = MixBackward(at, at.gate(1), at.gate(0));
    at.put(d.d_o, 0);
    at.put(d.du, 1);
    at.put(hn::Mul(hn::Mul(d.d_o, at.gate(3)), SigmoidSlope(reset)), 2);
    at.put(hn::Mul(d.d_o, reset), 3);
  });
}

void TanhBackwardRows(const RnnBackwardRows& r) {
  ForEachVectorOfRows(r, 1, [&](const GradientsAt& at) HWY_ATTR {
    at.put(hn::Mul(at.whole_dh(), TanhSlope(From(r.h_after + at.h))), 0);
    To(hn::Zero(D()), r.dh + at.dh);
  });
}

void ReluBackwardRows(const RnnBackwardRows& r) {
  ForEachVectorOfRows(r, 1, [&](const GradientsAt& at) HWY_ATTR {
    at.put(hn::IfThenZeroElse(hn::Le(From(r.h_after + at.h), hn::Zero(D())), at.whole_dh()), 0);
    To(hn::Zero(D()), r.dh + at.dh);
  });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(LstmBackwardRows);
HWY_EXPORT(GruBackwardRows);
HWY_EXPORT(FinishGruBackwardRows);
HWY_EXPORT(LbrGruBackwardRows);
HWY_EXPORT(TanhBackwardRows);
HWY_EXPORT(ReluBackwardRows);

void rnn_backward_rows(RnnCell cell, const RnnBackwardRows& rows) {
  switch (cell) {
    case RnnCell::lstm:
      return HWY_DYNAMIC_DISPATCH(LstmBackwardRows)(rows);
    case RnnCell::gru:
      return HWY_DYNAMIC_DISPATCH(GruBackwardRows)(rows);
    case RnnCell::lbr_gru:
      return HWY_DYNAMIC_DISPATCH(LbrGruBackwardRows)(rows);
    case RnnCell::rnn_tanh:
      return HWY_DYNAMIC_DISPATCH(TanhBackwardRows)(rows);
    case RnnCell::rnn_relu:
      return HWY_DYNAMIC_DISPATCH(ReluBackwardRows)(rows);
  }
}

void finish_rnn_backward_rows(RnnCell cell, const RnnBackwardRows& rows) {
  if (cell != RnnCell::gru) throw std::logic_error("only a GRU's step has a second half");
  HWY_DYNAMIC_DISPATCH(FinishGruBackwardRows)(rows);
}

}  // namespace brickwork
#endif  // HWY_ONCE
