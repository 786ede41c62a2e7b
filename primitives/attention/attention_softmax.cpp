#include "primitives/attention/attention_softmax.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/attention/attention_softmax.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "kernels/epilogue/curves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ColumnsTag = hn::CappedTag<float, 16>;  // divides the width

void SoftmaxColumns(float* x, std::int64_t rows, std::int64_t width, float scale) {
  const ColumnsTag d;
  for (std::int64_t column = 0; column < width; column += static_cast<std::int64_t>(hn::Lanes(d))) {
    float* const first = x + column;
    auto max = hn::LoadU(d, first);
    for (std::int64_t r = 1; r < rows; ++r) max = hn::Max(max, hn::LoadU(d, first + r * width));
    auto sum = hn::Zero(d);
    for (std::int64_t r = 0; r < rows; ++r) {
      // The maximum is subtracted before scaling, because rounding errors of large scaled scores may be large
      // themselves.
      const auto e = BoundedExpOfNegative(d, hn::Sub(hn::LoadU(d, first + r * width), max), scale);
      sum = hn::Add(sum, e);
      hn::StoreU(e, d, first + r * width);
    }
    const auto share = hn::Div(hn::Set(d, 1.0f), sum);
    for (std::int64_t r = 0; r < rows; ++r) {
      hn::StoreU(hn::Mul(hn::LoadU(d, first + r * width), share), d, first + r * width);
    }
  }
}

void SoftmaxColumnsBackward(const float* y, float* dx, std::int64_t rows, std::int64_t width, float scale) {
  const ColumnsTag d;
  // Subtracts halves, as a difference may overflow f32 even if its product with y does not.
  const auto half = hn::Set(d, 0.5f), twice = hn::Set(d, 2 * scale);
  for (std::int64_t column = 0; column < width; column += static_cast<std::int64_t>(hn::Lanes(d))) {
    auto mean = hn::Zero(d);
    for (std::int64_t r = 0; r < rows; ++r) {
      mean = hn::MulAdd(hn::LoadU(d, y + r * width + column), hn::LoadU(d, dx + r * width + column), mean);
    }
    const auto half_mean = hn::Mul(half, mean);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* const at = dx + r * width + column;
      const auto weight = hn::Mul(hn::LoadU(d, y + r * width + column), twice);
      hn::StoreU(hn::Mul(weight, hn::MulSub(hn::LoadU(d, at), half, half_mean)), d, at);
    }
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(SoftmaxColumns);
HWY_EXPORT(SoftmaxColumnsBackward);

void softmax_columns(float* x, std::int64_t rows, std::int64_t width, float scale) {
  HWY_DYNAMIC_DISPATCH(SoftmaxColumns)(x, rows, width, scale);
}

void softmax_columns_backward(const float* y, float* dx, std::int64_t rows, std::int64_t width, float scale) {
  HWY_DYNAMIC_DISPATCH(SoftmaxColumnsBackward)(y, dx, rows, width, scale);
}

}  // namespace brickwork
#endif  // HWY_ONCE
