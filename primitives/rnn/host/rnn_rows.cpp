#include "primitives/rnn/host/rnn_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/rnn/host/rnn_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "kernels/base/vectors-inl.h"
#include "kernels/epilogue/curves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;  // divides bk
using V = hn::Vec<D>;

HWY_INLINE V load(const float* p) { return hn::LoadU(D(), p); }
HWY_INLINE void store(V value, float* p) { hn::StoreU(value, D(), p); }
HWY_INLINE void store_kept(V value, float* p, bool past_caches) { StoreOrStream(value, D(), p, past_caches); }
HWY_INLINE V set(float value) { return hn::Set(D(), value); }
HWY_INLINE V add(V a, V b) { return hn::Add(a, b); }
HWY_INLINE V sub(V a, V b) { return hn::Sub(a, b); }
HWY_INLINE V mul(V a, V b) { return hn::Mul(a, b); }
HWY_INLINE V mul_add(V a, V b, V c) { return hn::MulAdd(a, b, c); }
HWY_INLINE V sub_mul(V c, V a, V b) { return hn::NegMulAdd(a, b, c); }
HWY_INLINE V sigmoid(V x) { return BoundedSigmoid(D(), x); }
HWY_INLINE V tanh(V x) { return BoundedTanh(D(), x); }
HWY_INLINE V not_negative(V x) { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(D())), x); }  // a NaN stays one
HWY_INLINE V where_positive(V x, V y) { return hn::IfThenZeroElse(hn::Le(x, hn::Zero(D())), y); }

#define BRICKWORK_CELL HWY_INLINE
#include "primitives/rnn/host/rnn_cells-inl.h"
#undef BRICKWORK_CELL

constexpr std::int64_t kRowsAhead = 8;

// Prefetches what forward overwrites and other cores have read. Layers of 256 features take 8 % (GRU) and 4 % (tanh)
// less time if the cores share no L3, and the same time if they do (Zen 5).
HWY_INLINE void AskFor(const RnnGatesAt& at) {
  hwy::Prefetch(at.h_after());
  if (at.r.reset != nullptr) hwy::Prefetch(at.reset());
}
HWY_INLINE void AskFor(const RnnGradientsAt&) {}

template <class AnyRows>
HWY_INLINE void OnRows(RnnCell cell, RnnHalf half, const AnyRows& r) {
  for_each_turn(r, cell, half, [&](int columns, const auto& policy) HWY_ATTR {
    for (std::int64_t n = 0; n < r.rows; ++n) {
      const bool ended = r.ended(n), asks = n + kRowsAhead < r.rows;
      for (std::int64_t j = 0; j < r.bk; j += static_cast<std::int64_t>(hn::Lanes(D()))) {
        if (asks) AskFor(vector_at(r, columns, n + kRowsAhead, j));
        const auto at = vector_at(r, columns, n, j);
        ended ? at.stay(columns) : policy(at);
      }
    }
  });
}

void Rows(RnnCell cell, RnnHalf half, const RnnRows& r) { OnRows(cell, half, r); }
void BackwardRows(RnnCell cell, RnnHalf half, const RnnBackwardRows& r) { OnRows(cell, half, r); }

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(Rows);
HWY_EXPORT(BackwardRows);

std::span<const GateColumn> gate_columns(RnnCell cell) {
  static constexpr GateColumn lstm[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  static constexpr GateColumn gru[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2, true}};
  static constexpr GateColumn lbr_gru[] = {{2, -1, 2}, {0, 0, 0}, {1, 1, 1}, {-1, 2, 3}};
  if (cell == RnnCell::lstm) return lstm;
  if (cell == RnnCell::gru) return gru;
  if (cell == RnnCell::lbr_gru) return lbr_gru;
  return {lstm, 1};
}

void rnn_rows(RnnCell cell, RnnHalf half, const RnnRows& rows) { HWY_DYNAMIC_DISPATCH(Rows)(cell, half, rows); }

void rnn_rows(RnnCell cell, RnnHalf half, const RnnBackwardRows& rows) {
  HWY_DYNAMIC_DISPATCH(BackwardRows)(cell, half, rows);
}

}  // namespace brickwork
#endif  // HWY_ONCE
