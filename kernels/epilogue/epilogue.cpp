#include "kernels/epilogue/epilogue.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/epilogue/epilogue.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's Exp takes arguments up to 104, and turns a NaN into a number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f), least = hn::Set(d, -100.0f);
  const V y = hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(hn::Max(x, least)))));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluSlope(D d, V square, double cubic) {
  return hn::MulAdd(square, hn::Set(d, static_cast<float>(cubic)), hn::Set(d, static_cast<float>(Gelu::kLinear)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Activated(D d, Activation activation, V x) {
  switch (activation) {
    case Activation::relu:
      return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    case Activation::sigmoid:
      return Sigmoid(d, x);
    case Activation::tanh:
      return hn::Tanh(d, x);
    case Activation::gelu:
      return hn::Mul(x, Sigmoid(d, hn::Mul(x, GeluSlope(d, hn::Mul(x, x), Gelu::kCubic))));
    default:
      return x;
  }
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V TimesDerivative(D d, Activation activation, V gradient, V at) {
  const V one = hn::Set(d, 1.0f), limit = hn::Set(d, static_cast<float>(Gelu::kLimit));
  switch (activation) {
    case Activation::relu:
      return hn::IfThenZeroElse(hn::Le(at, hn::Zero(d)), gradient);
    case Activation::sigmoid:
      return hn::Mul(gradient, hn::Mul(at, hn::Sub(one, at)));
    case Activation::tanh:
      return hn::Mul(gradient, hn::NegMulAdd(at, at, one));
    case Activation::gelu: {
      const V bounded = hn::IfThenElse(hn::Gt(hn::Abs(at), limit), hn::CopySign(limit, at), at);
      const V square = hn::Mul(bounded, bounded);
      const V e = hn::Exp(d, hn::Neg(hn::Mul(bounded, GeluSlope(d, square, Gelu::kCubic))));
      const V s = hn::Div(one, hn::Add(one, e)), slope = hn::Mul(bounded, GeluSlope(d, square, 3 * Gelu::kCubic));
      return hn::Mul(gradient, hn::MulAdd(slope, hn::Mul(hn::Mul(e, s), s), s));
    }
    default:
      return gradient;
  }
}

void ApplyToRow(float* HWY_RESTRICT c, const float* HWY_RESTRICT residual, const float* HWY_RESTRICT at, std::size_t n,
                const TileEpilogue& e) {
  ForEachVector(hn::ScalableTag<float>(), std::size_t{0}, n, [&](auto d, std::size_t j) HWY_ATTR {
    auto x = hn::LoadU(d, c + j);
    if (e.bias) x = hn::Add(x, hn::LoadU(d, e.bias + j));
    if (residual) x = hn::Add(x, hn::LoadU(d, residual + j));
    x = at ? TimesDerivative(d, e.activation, x, hn::LoadU(d, at + j)) : Activated(d, e.activation, x);
    hn::StoreU(x, d, c + j);
  });
}

void ApplyEpilogue(float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
  const auto* residual = static_cast<const float*>(e.residual);
  const auto* at = static_cast<const float*>(e.at);
  for (int i = 0; i < m; ++i)
    ApplyToRow(c + i * ldc, residual ? residual + i * e.ldr : nullptr, at ? at + i * e.ldat : nullptr,
               static_cast<std::size_t>(n), e);
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(ApplyEpilogue);

void apply_epilogue(float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
  BRICKWORK_CHOSEN(ApplyEpilogue);
  chosen(c, m, n, ldc, e);
}

}  // namespace brickwork
#endif
