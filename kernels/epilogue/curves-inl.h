// Curves made of exponentials, for one instruction set (Highway's foreach_target). Highway's own curves take three
// times as long, as they hold for any argument, to the last bit. That matters where curves are most of the work, as in
// the gates of a recurrent layer.
#if defined(BRICKWORK_CURVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_CURVES_INL_H_
#undef BRICKWORK_CURVES_INL_H_
#else
#define BRICKWORK_CURVES_INL_H_
#endif

#include <cmath>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// max and min that keep a NaN: x86 returns the second operand if one of the two is a NaN.
template <class V>
HWY_INLINE V NotBelow(V least, V x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Max(least, x);
#else
  return hn::IfThenElse(hn::Lt(x, least), least, x);
#endif
}
template <class V>
HWY_INLINE V NotAbove(V most, V x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Min(most, x);
#else
  return hn::IfThenElse(hn::Gt(x, most), most, x);
#endif
}

// For larger |x|, 2^n leaves the range of f32.
constexpr float kMostExponent = 88;

// The value is power * series.
template <class V>
struct Exponential {
  V power, series;
};

// e^(by x) with relative error <= 2e-7 + 2e-8 |by x| for -87 <= by x <= 88; below -87 the result is <= 2e-38. If `by`
// is not a power of two, the relative error is <= 2e-7 + 9e-8 |by x|. |by x| must not exceed kMostExponent. A NaN stays
// a NaN.
//
// by x / log(2) = n + r, n an integer: the result is 2^n times a polynomial in r. With FMA one constant suffices, as an
// FMA rounds once. Without FMA, log(2) is split in two parts; the first has so few bits that its products are exact.
// The coefficients have the least relative error of all degree-5 polynomials that begin with 1: 1.05e-7.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Exponential<V> ExponentialOf(D d, V x, float by) {
  const auto set = [d](float value) HWY_ATTR { return hn::Set(d, value); };
  // Near numbers of this size the spacing is 1: the sum rounds to an integer, and its low bits are the exponent of 2^n.
  const V ones = set((1 << 23) + (1 << 22) + 127), log2e = set(1.44269504f * by);
  const V sum = hn::MulAdd(x, log2e, ones);
  const V n = hn::Sub(sum, ones);
#if HWY_NATIVE_FMA
  const V r = hn::MulSub(x, log2e, n);
#else
  const V rest = hn::NegMulAdd(n, set(0.693359375f), hn::Mul(x, set(by)));
  const V r = hn::Mul(hn::NegMulAdd(n, set(-2.12194440e-4f), rest), set(1.44269504f));
#endif
  V series = set(1.33002572e-3f);
  for (const float term : {9.66971817e-3f, 5.55055991e-2f, 0.240222813f, 0.693147181f, 1.0f}) {
    series = hn::MulAdd(series, r, set(term));
  }
  return {hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(hn::RebindToUnsigned<D>(), sum))), series};
}

// e^(by x) for by > 0 and x <= 0; 0 if by x <= -88. Good enough for the sums of a softmax, which lose such small terms.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedExpOfNegative(D d, V x, float by = 1) {
  const auto e = ExponentialOf(d, NotBelow(hn::Set(d, -kMostExponent / by), x), by);
  return hn::Mul(e.power, e.series);
}

// 1 + e^(by x), with |by x| limited to kMostExponent.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V OnePlusExp(D d, V x, float by) {
  const V most = hn::Set(d, kMostExponent / std::abs(by));
  const auto e = ExponentialOf(d, NotAbove(most, NotBelow(hn::Neg(most), x)), by);
  return hn::MulAdd(e.power, e.series, hn::Set(d, 1.0f));
}

// 1 / x for 1 <= x < inf, with relative error <= 2e-7; 0 where 1 / x is below 1e-38.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedReciprocal(D d, V x) {
  const V one = hn::Set(d, 1.0f);
#if HWY_ARCH_X86
  // The estimate has 14 bits in vectors of 64 bytes, else 12; a Newton step doubles them. 1 / 1 must be 1, so that a
  // saturated gate has the slope 0: with 12 bits that takes two steps. A division takes three times as long as one.
  V estimate = hn::ApproximateReciprocal(x);
  if constexpr (sizeof(V) < 64) estimate = hn::MulAdd(hn::NegMulAdd(x, estimate, one), estimate, estimate);
  return hn::MulAdd(hn::NegMulAdd(x, estimate, one), estimate, estimate);
#else
  return hn::Div(one, x);
#endif
}

// Absolute error <= 4e-7 (3.6e-7 without FMA).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedSigmoid(D d, V x) {
  return BoundedReciprocal(d, OnePlusExp(d, x, -1));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedTanh(D d, V x) {
  return hn::NegMulAdd(hn::Set(d, 2.0f), BoundedReciprocal(d, OnePlusExp(d, x, 2)), hn::Set(d, 1.0f));
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
