#include "primitives/recursive/host/tape_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/recursive/host/tape_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "kernels/base/vectors-inl.h"
#include "kernels/epilogue/curves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

// f(d, vectors of the arguments) for every vector of every row.
template <class F>
HWY_INLINE void EachOfOne(const BoundInstruction& in, const TapeRows& rows, const F& f) {
  const BoundRows to(in.to, rows), a(in.a, rows);
  const TapeItems items = items_of(in, rows);
  for (std::int64_t i = items.begin; i < items.end; ++i)
    for (std::int64_t r = 0; r < items.rows; ++r) {
      float* const to_row = to(i, r);
      const float* const a_row = a(i, r);
      ForEachVector(D(), std::int64_t{0}, rows.width, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
        hn::StoreU(f(d, hn::LoadU(d, a_row + j)), d, to_row + j);
      });
    }
}
template <class F>
HWY_INLINE void EachOfTwo(const BoundInstruction& in, const TapeRows& rows, const F& f) {
  const BoundRows to(in.to, rows), a(in.a, rows), b(in.b, rows);
  const TapeItems items = items_of(in, rows);
  for (std::int64_t i = items.begin; i < items.end; ++i)
    for (std::int64_t r = 0; r < items.rows; ++r) {
      float* const to_row = to(i, r);
      const float *const a_row = a(i, r), *const b_row = b(i, r);
      ForEachVector(D(), std::int64_t{0}, rows.width, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
        hn::StoreU(f(hn::LoadU(d, a_row + j), hn::LoadU(d, b_row + j)), d, to_row + j);
      });
    }
}

template <class F>
HWY_INLINE void EachOfThree(const BoundInstruction& in, const TapeRows& rows, const F& f) {
  const BoundRows to(in.to, rows), a(in.a, rows), b(in.b, rows), c(in.c, rows);
  const TapeItems items = items_of(in, rows);
  for (std::int64_t i = items.begin; i < items.end; ++i)
    for (std::int64_t r = 0; r < items.rows; ++r) {
      float* const to_row = to(i, r);
      const float *const a_row = a(i, r), *const b_row = b(i, r), *const c_row = c(i, r);
      ForEachVector(D(), std::int64_t{0}, rows.width, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
        hn::StoreU(f(d, hn::LoadU(d, a_row + j), hn::LoadU(d, b_row + j), hn::LoadU(d, c_row + j)), d, to_row + j);
      });
    }
}

template <class F>
HWY_INLINE void EachOfSum(const BoundInstruction& in, const TapeRows& rows, const F& f) {
  EachOfThree(in, rows, [&](auto d, auto x, auto y, auto z) HWY_ATTR { return f(d, hn::Add(hn::Add(x, y), z)); });
}

HWY_INLINE void SumOfChildren(const BoundInstruction& in, const TapeRows& rows) {
  const BoundRows to(in.to, rows), a(in.a, rows);
  const TapeItems items = items_of(in, rows);
  for (std::int64_t n = items.begin; n < items.end; ++n)
    for (std::int64_t r = 0; r < items.rows; ++r) {
      float* const to_row = to(n, r);
      ForEachVector(D(), std::int64_t{0}, rows.width, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
        auto sum = hn::Zero(d);
        for (std::int32_t e = rows.levels.first_edge[n]; e < rows.levels.first_edge[n + 1]; ++e) {
          sum = hn::Add(sum, hn::LoadU(d, a(e, r) + j));
        }
        hn::StoreU(sum, d, to_row + j);
      });
    }
}

HWY_INLINE void AddUses(const BoundInstruction& in, const TapeRows& rows) {
  const BoundRows to(in.to, rows), a(in.a, rows), b(in.b, rows);
  const TapeItems items = items_of(in, rows);
  for (std::int64_t n = items.begin; n < items.end; ++n)
    for (std::int64_t r = 0; r < items.rows; ++r) {
      float* const to_row = to(n, r);
      const float* const a_row = a(n, r);
      ForEachVector(D(), std::int64_t{0}, rows.width, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
        auto sum = hn::LoadU(d, a_row + j);
        for (std::int32_t use = rows.levels.first_use[n]; use < rows.levels.first_use[n + 1]; ++use) {
          sum = hn::Add(sum, hn::LoadU(d, b(rows.levels.uses[use], r) + j));
        }
        hn::StoreU(sum, d, to_row + j);
      });
    }
}

HWY_INLINE void AtPosition(const BoundInstruction& in, const TapeRows& rows) {
  const BoundRows to(in.to, rows), a(in.a, rows);
  const TapeItems items = items_of(in, rows);
  for (std::int64_t e = items.begin; e < items.end; ++e) {
    const bool there = e - rows.levels.first_edge[rows.levels.parent[e]] == in.position;
    for (std::int64_t r = 0; r < items.rows; ++r) {
      float* const to_row = to(e, r);
      const float* const a_row = a(e, r);
      ForEachVector(D(), std::int64_t{0}, rows.width, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
        hn::StoreU(there ? hn::LoadU(d, a_row + j) : hn::Zero(d), d, to_row + j);
      });
    }
  }
}

HWY_INLINE void Outer(const BoundInstruction& in, const TapeRows& rows) {
  BoundRef whole_row = in.a;
  whole_row.feature = 0;
  const BoundRows to(in.to, rows), a(whole_row, rows), b(in.b, rows);
  const TapeItems items = items_of(in, rows);
  for (std::int64_t i = items.begin; i < items.end; ++i)
    for (std::int64_t r = 0; r < items.rows; ++r) {
      float* const to_row = to(i, r);
      const float* const b_row = b(i);
      const float factor = a(i)[r];
      ForEachVector(D(), std::int64_t{0}, rows.width, [&](auto d, std::int64_t j) BRICKWORK_INLINE_ATTR {
        hn::StoreU(hn::Mul(hn::Set(d, factor), hn::LoadU(d, b_row + j)), d, to_row + j);
      });
    }
}

void Run(const BoundInstruction& in, const TapeRows& rows) {
  switch (in.op) {
    case TapeOp::copy:
      return EachOfOne(in, rows, [](auto, auto x) HWY_ATTR { return x; });
    case TapeOp::add:
      return EachOfTwo(in, rows, [](auto x, auto y) HWY_ATTR { return hn::Add(x, y); });
    case TapeOp::subtract:
      return EachOfTwo(in, rows, [](auto x, auto y) HWY_ATTR { return hn::Sub(x, y); });
    case TapeOp::multiply:
      return EachOfTwo(in, rows, [](auto x, auto y) HWY_ATTR { return hn::Mul(x, y); });
    case TapeOp::multiply_add:
      return EachOfThree(in, rows, [](auto, auto x, auto y, auto z) HWY_ATTR { return hn::MulAdd(x, y, z); });
    case TapeOp::one_minus:
      return EachOfOne(in, rows, [](auto d, auto x) HWY_ATTR { return hn::Sub(hn::Set(d, 1.0F), x); });
    case TapeOp::sigmoid:
      return EachOfSum(in, rows, [](auto d, auto x) HWY_ATTR { return BoundedSigmoid(d, x); });
    case TapeOp::tanh:
      return EachOfSum(in, rows, [](auto d, auto x) HWY_ATTR { return BoundedTanh(d, x); });
    case TapeOp::relu:  // a NaN stays one
      return EachOfSum(in, rows, [](auto d, auto x) HWY_ATTR { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x); });
    case TapeOp::sigmoid_slope:
      return EachOfOne(in, rows, [](auto, auto y) HWY_ATTR { return hn::NegMulAdd(y, y, y); });
    case TapeOp::tanh_slope:
      return EachOfOne(in, rows, [](auto d, auto y) HWY_ATTR { return hn::NegMulAdd(y, y, hn::Set(d, 1.0F)); });
    case TapeOp::where_positive:
      return EachOfTwo(in, rows, [](auto x, auto y) HWY_ATTR {
        return hn::IfThenZeroElse(hn::Le(x, hn::Zero(hn::DFromV<decltype(x)>())), y);
      });
    case TapeOp::sum_of_children:
      return SumOfChildren(in, rows);
    case TapeOp::add_uses:
      return AddUses(in, rows);
    case TapeOp::at_position:
      return AtPosition(in, rows);
    case TapeOp::outer:
      return Outer(in, rows);
  }
}

void RunTape(const BoundInstruction* tape, std::int32_t count, const TapeRows& rows) {
  for (std::int32_t i = 0; i < count; ++i) Run(tape[i], rows);
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(RunTape);

void run_tape(const BoundInstruction* tape, std::int32_t count, const TapeRows& rows) {
  BRICKWORK_CHOSEN(RunTape);
  chosen(tape, count, rows);
}

}  // namespace brickwork
#endif  // HWY_ONCE
