#include "baselines/onednn/element_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/onednn/element_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "kernels/base/vectors-inl.h"
#include "kernels/epilogue/curves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using onednn::Curve;
using onednn::ElementOp;
using onednn::GradientOp;

template <class Of>
HWY_INLINE void EachElement(std::int64_t count, float* to, const Of& of) {
  ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, count,
                [&](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR { hn::StoreU(of(d, i), d, to + i); });
}

template <class Of>
HWY_INLINE void EachElement(Curve curve, std::int64_t count, float* to, const Of& of) {
  switch (curve) {
    case Curve::none:
      return EachElement(count, to, of);
    case Curve::sigmoid:
      return EachElement(count, to,
                         [&](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR { return BoundedSigmoid(d, of(d, i)); });
    case Curve::tanh:
      return EachElement(count, to,
                         [&](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR { return BoundedTanh(d, of(d, i)); });
    case Curve::relu:
      return EachElement(count, to,
                         [&](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR { return NotBelow(hn::Zero(d), of(d, i)); });
  }
}

void ElementRow(ElementOp op, Curve curve, const float* a, const float* b, std::int64_t count, float* to) {
  switch (op) {
    case ElementOp::copy:
      return EachElement(curve, count, to, [=](auto d, std::int64_t i) HWY_ATTR { return hn::LoadU(d, a + i); });
    case ElementOp::add:
      return EachElement(curve, count, to, [=](auto d, std::int64_t i) HWY_ATTR {
        return hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      });
    case ElementOp::subtract:
      return EachElement(curve, count, to, [=](auto d, std::int64_t i) HWY_ATTR {
        return hn::Sub(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      });
    case ElementOp::multiply:
      return EachElement(curve, count, to, [=](auto d, std::int64_t i) HWY_ATTR {
        return hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      });
    case ElementOp::one_minus:
      return EachElement(curve, count, to, [=](auto d, std::int64_t i) HWY_ATTR {
        return hn::Sub(hn::Set(d, 1.0F), hn::LoadU(d, a + i));
      });
  }
}

// Four vectors of sums hide the latency of an FMA, and read the matrix in order within a row.
void RowTimesMatrix(const float* row, const float* matrix, std::int64_t ld, std::int64_t H, float* to) {
  ForEachVectors(H, [=](auto d, auto vectors, std::int64_t j) HWY_ATTR {
    constexpr int kVectors = decltype(vectors)::value;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    hn::Vec<decltype(d)> sums[kVectors];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::int64_t k = 0; k < H; ++k) {
      const auto factor = hn::Set(d, row[k]);
      for (int v = 0; v < kVectors; ++v) {
        sums[v] = hn::MulAdd(factor, hn::LoadU(d, matrix + k * ld + j + v * lanes), sums[v]);
      }
    }
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, to + j + v * lanes);
  });
}

template <class Of>
HWY_INLINE void EachGradient(bool adds, std::int64_t count, float* to, const Of& of) {
  if (!adds) return EachElement(count, to, of);
  EachElement(count, to,
              [&](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR { return hn::Add(hn::LoadU(d, to + i), of(d, i)); });
}

void ScaleBySlope(Curve curve, const float* y, std::int64_t count, float* to) {
  const auto scale = [=](const auto& slope) HWY_ATTR {
    EachElement(count, to, [&](auto d, std::int64_t i) BRICKWORK_INLINE_ATTR {
      return hn::Mul(hn::LoadU(d, to + i), slope(d, hn::LoadU(d, y + i)));
    });
  };
  switch (curve) {
    case Curve::none:
      return;
    case Curve::sigmoid:
      return scale([](auto, auto v) HWY_ATTR { return hn::NegMulAdd(v, v, v); });
    case Curve::tanh:
      return scale([](auto d, auto v) HWY_ATTR { return hn::NegMulAdd(v, v, hn::Set(d, 1.0F)); });
    case Curve::relu:
      return scale([](auto d, auto v)
                       HWY_ATTR { return hn::IfThenElseZero(hn::Gt(v, hn::Zero(d)), hn::Set(d, 1.0F)); });
  }
}

void GradientRow(GradientOp op, Curve curve, bool adds, const float* from, const float* value, std::int64_t count,
                 float* to) {
  switch (op) {
    case GradientOp::add:
      return EachGradient(adds, count, to, [=](auto d, std::int64_t i) HWY_ATTR { return hn::LoadU(d, from + i); });
    case GradientOp::subtract:
      return EachGradient(adds, count, to,
                          [=](auto d, std::int64_t i) HWY_ATTR { return hn::Neg(hn::LoadU(d, from + i)); });
    case GradientOp::multiply:
      return EachGradient(adds, count, to, [=](auto d, std::int64_t i) HWY_ATTR {
        return hn::Mul(hn::LoadU(d, from + i), hn::LoadU(d, value + i));
      });
    case GradientOp::slope:
      return ScaleBySlope(curve, value, count, to);
    case GradientOp::zero:
      return EachElement(count, to, [](auto d, std::int64_t) HWY_ATTR { return hn::Zero(d); });
  }
}

void RowTimesMatrixGradients(const float* row, const float* matrix, std::int64_t ld, std::int64_t H, const float* dy,
                             bool adds, float* d_row, float* d_matrix) {
  const hn::ScalableTag<float> d;
  for (std::int64_t k = 0; k < H; ++k) {
    if (d_matrix != nullptr) {
      const float factor = row[k];
      float* const to = d_matrix + k * ld;
      EachElement(H, to, [=](auto v, std::int64_t i) HWY_ATTR {
        return hn::MulAdd(hn::Set(v, factor), hn::LoadU(v, dy + i), hn::LoadU(v, to + i));
      });
    }
    if (d_row == nullptr) continue;
    auto sums = hn::Zero(d);
    float rest = adds ? d_row[k] : 0.0F;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t n = 0;
    for (; n + lanes <= H; n += lanes) {
      sums = hn::MulAdd(hn::LoadU(d, dy + n), hn::LoadU(d, matrix + k * ld + n), sums);
    }
    for (; n < H; ++n) rest += dy[n] * matrix[k * ld + n];
    d_row[k] = rest + hn::GetLane(hn::SumOfLanes(d, sums));
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(ElementRow);
HWY_EXPORT(RowTimesMatrix);
HWY_EXPORT(GradientRow);
HWY_EXPORT(RowTimesMatrixGradients);

void onednn::element_row(ElementOp op, Curve curve, const float* a, const float* b, std::int64_t count, float* to) {
  BRICKWORK_CHOSEN(ElementRow);
  chosen(op, curve, a, b, count, to);
}

void onednn::row_times_matrix(const float* row, const float* matrix, std::int64_t ld, std::int64_t H, float* to) {
  BRICKWORK_CHOSEN(RowTimesMatrix);
  chosen(row, matrix, ld, H, to);
}

void onednn::gradient_row(GradientOp op, Curve curve, bool adds, const float* from, const float* value,
                          std::int64_t count, float* to) {
  BRICKWORK_CHOSEN(GradientRow);
  chosen(op, curve, adds, from, value, count, to);
}

void onednn::row_times_matrix_gradients(const float* row, const float* matrix, std::int64_t ld, std::int64_t H,
                                        const float* dy, bool adds, float* d_row, float* d_matrix) {
  BRICKWORK_CHOSEN(RowTimesMatrixGradients);
  chosen(row, matrix, ld, H, dy, adds, d_row, d_matrix);
}

}  // namespace brickwork
#endif  // HWY_ONCE
