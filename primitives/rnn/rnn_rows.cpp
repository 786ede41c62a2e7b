#include "rnn/rnn_rows.hpp"

#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rnn/rnn_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "curves-inl.h"
#include "vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;  // divides bk
using V = hn::Vec<D>;

// One vector of a row: its gates, one bk behind the other, and where its features stand in h and in c.
struct GatesAt {
  const RnnRows& rows;
  std::int64_t gates, h, c;

  HWY_INLINE V gate(int column) const { return hn::LoadU(D(), rows.gates + gates + column * rows.bk); }
  HWY_INLINE void put(V value, int column) const { hn::StoreU(value, D(), rows.gates + gates + column * rows.bk); }
  HWY_INLINE void keep(V value, int column) const {
    StoreOrStream(value, D(), rows.kept + gates + column * rows.bk, rows.kept != rows.gates);
  }
};

template <class Vector>
HWY_INLINE void ForEachVectorOfRows(const RnnRows& r, int columns, const Vector& vector) {
  const D d;
  for (std::int64_t n = 0; n < r.rows; ++n) {
    const bool ended = r.lengths != nullptr && r.step >= r.lengths[n];
    for (std::int64_t j = 0; j < r.bk; j += static_cast<std::int64_t>(hn::Lanes(d))) {
      const GatesAt at{r, n * columns * r.bk + j, n * r.ldh + j, n * r.bk + j};
      if (!ended) {
        vector(at);
        continue;
      }
      hn::StoreU(hn::LoadU(d, r.h_before + at.h), d, r.h_after + at.h);
      if (r.c_before != nullptr) hn::StoreU(hn::LoadU(d, r.c_before + at.c), d, r.c_after + at.c);
    }
  }
}

// In two turns, of which the second has tanh(c): within one, a row's would wait for its gates, and rows behind it for
// room in the processor. 0.9 of the time.
void LstmRows(const RnnRows& r) {
  const D d;
  ForEachVectorOfRows(r, 4, [&](const GatesAt& at) HWY_ATTR {
    const V i = BoundedSigmoid(d, at.gate(0)), f = BoundedSigmoid(d, at.gate(1));
    const V g = BoundedTanh(d, at.gate(2)), o = BoundedSigmoid(d, at.gate(3));
    hn::StoreU(hn::MulAdd(f, hn::LoadU(d, r.c_before + at.c), hn::Mul(i, g)), d, r.c_after + at.c);
    hn::StoreU(o, d, r.h_after + at.h);
    if (r.kept == nullptr) return;
    at.keep(i, 0);
    at.keep(f, 1);
    at.keep(g, 2);
    at.keep(o, 3);
  });
  ForEachVectorOfRows(r, 4, [&](const GatesAt& at) HWY_ATTR {
    const V o = hn::LoadU(d, r.h_after + at.h), c = hn::LoadU(d, r.c_after + at.c);
    hn::StoreU(hn::Mul(o, BoundedTanh(d, c)), d, r.h_after + at.h);
  });
}

// u h + (1 - u) o
HWY_INLINE V Mixed(V u, V h, V o) { return hn::MulAdd(u, hn::Sub(h, o), o); }

void GruRows(const RnnRows& r) {
  ForEachVectorOfRows(r, 3, [&](const GatesAt& at) HWY_ATTR {
    const D d;
    const V reset = BoundedSigmoid(d, at.gate(1));
    hn::StoreU(hn::Mul(reset, hn::LoadU(d, r.h_before + at.h)), d, r.reset + at.h);
    at.put(BoundedSigmoid(d, at.gate(0)), 0);
    if (r.kept != nullptr) at.keep(reset, 1);
  });
}

void FinishGruRows(const RnnRows& r) {
  ForEachVectorOfRows(r, 3, [&](const GatesAt& at) HWY_ATTR {
    const D d;
    const V o = BoundedTanh(d, at.gate(2));
    hn::StoreU(Mixed(at.gate(0), hn::LoadU(d, r.h_before + at.h), o), d, r.h_after + at.h);
    if (r.kept != nullptr) at.keep(o, 2);
  });
}

void LbrGruRows(const RnnRows& r) {
  ForEachVectorOfRows(r, 4, [&](const GatesAt& at) HWY_ATTR {
    const D d;
    const V u = BoundedSigmoid(d, at.gate(1)), reset = BoundedSigmoid(d, at.gate(2));
    const V o = BoundedTanh(d, hn::MulAdd(reset, at.gate(3), at.gate(0)));
    hn::StoreU(Mixed(u, hn::LoadU(d, r.h_before + at.h), o), d, r.h_after + at.h);
    if (r.kept == nullptr) return;
    at.keep(o, 0);
    at.keep(u, 1);
    at.keep(reset, 2);
    at.keep(at.gate(3), 3);
  });
}

// What these give is what backward needs of them.
void TanhRows(const RnnRows& r) {
  ForEachVectorOfRows(
      r, 1, [&](const GatesAt& at) HWY_ATTR { hn::StoreU(BoundedTanh(D(), at.gate(0)), D(), r.h_after + at.h); });
}

void ReluRows(const RnnRows& r) {
  ForEachVectorOfRows(r, 1, [&](const GatesAt& at) HWY_ATTR {
    const V x = at.gate(0);
    hn::StoreU(hn::IfThenZeroElse(hn::Lt(x, hn::Zero(D())), x), D(), r.h_after + at.h);  // a NaN stays one
  });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(LstmRows);
HWY_EXPORT(GruRows);
HWY_EXPORT(FinishGruRows);
HWY_EXPORT(LbrGruRows);
HWY_EXPORT(TanhRows);
HWY_EXPORT(ReluRows);

std::span<const GateColumn> gate_columns(RnnCell cell) {
  static constexpr GateColumn lstm[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  static constexpr GateColumn gru[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2, true}};
  static constexpr GateColumn lbr_gru[] = {{2, -1, 2}, {0, 0, 0}, {1, 1, 1}, {-1, 2, 3}};
  static constexpr GateColumn vanilla[] = {{0, 0, 0}};
  switch (cell) {
    case RnnCell::lstm:
      return lstm;
    case RnnCell::gru:
      return gru;
    case RnnCell::lbr_gru:
      return lbr_gru;
    default:
      return vanilla;
  }
}

void rnn_rows(RnnCell cell, const RnnRows& rows) {
  switch (cell) {
    case RnnCell::lstm:
      return HWY_DYNAMIC_DISPATCH(LstmRows)(rows);
    case RnnCell::gru:
      return HWY_DYNAMIC_DISPATCH(GruRows)(rows);
    case RnnCell::lbr_gru:
      return HWY_DYNAMIC_DISPATCH(LbrGruRows)(rows);
    case RnnCell::rnn_tanh:
      return HWY_DYNAMIC_DISPATCH(TanhRows)(rows);
    case RnnCell::rnn_relu:
      return HWY_DYNAMIC_DISPATCH(ReluRows)(rows);
  }
}

void finish_rnn_rows(RnnCell cell, const RnnRows& rows) {
  if (cell != RnnCell::gru) throw std::logic_error("only a GRU's step has a second half");
  HWY_DYNAMIC_DISPATCH(FinishGruRows)(rows);
}

}  // namespace brickwork
#endif  // HWY_ONCE
