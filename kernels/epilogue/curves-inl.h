// Curves made of exponentials, for one instruction set (Highway's foreach_target). Where they are most of the work, as
// in the gates of a recurrent layer, Highway's own take three times as long: they hold for any argument, to the last
// bit.
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

// A NaN stays one, as x86 gives what comes second of it and a number.
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

// Where |x| is larger, 2^n leaves f32.
constexpr float kMostExponent = 88;

// The product of both.
template <class V>
struct Exponential {
  V power, series;
};

// e^(by x), within 2e-7 + 2e-8 |by x|, relatively, where -87 <= by x <= 88; at most 2e-38 below. Where `by` is no power
// of two within 2e-7 + 9e-8 |by x|. |by x| must not exceed kMostExponent. A NaN stays one.
//
// It is 2^n times a polynomial of what by x / log(2) has beyond n: the product with one constant, which an FMA rounds
// once. Without one log(2) is in two parts, of which the first has so few bits that its products are exact. The
// coefficients leave the least relative error of all of degree 5 that begin with 1: 1.05e-7.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Exponential<V> ExponentialOf(D d, V x, float by) {
  const auto set = [d](float value) HWY_ATTR { return hn::Set(d, value); };
  // Among numbers of this size the next one is 1 more: the sum rounds, and its low bits are the exponent's of 2^n.
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

// e^(by x), by > 0, of an x that is not above 0; 0 where by x is -88 or less. Enough for a softmax, in whose sums the
// small ones vanish.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedExpOfNegative(D d, V x, float by = 1) {
  const auto e = ExponentialOf(d, NotBelow(hn::Set(d, -kMostExponent / by), x), by);
  return hn::Mul(e.power, e.series);
}

// 1 + e^(by x), in which |by x| counts for kMostExponent at most.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V OnePlusExp(D d, V x, float by) {
  const V most = hn::Set(d, kMostExponent / std::abs(by));
  const auto e = ExponentialOf(d, NotAbove(most, NotBelow(hn::Neg(most), x)), by);
  return hn::MulAdd(e.power, e.series, hn::Set(d, 1.0f));
}

// Within 2e-7 of 1 / x, relatively, or 0 where that is below 1e-38; 1 <= x < inf.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedReciprocal(D d, V x) {
  const V one = hn::Set(d, 1.0f);
#if HWY_ARCH_X86
  // Its estimates have 12 bits and more, which one step of Newton's doubles. A division takes three times as long.
  const V estimate = hn::ApproximateReciprocal(x);
  return hn::MulAdd(hn::NegMulAdd(x, estimate, one), estimate, estimate);
#else
  return hn::Div(one, x);
#endif
}

// Within 4e-7 of the curves, absolutely: 3.6e-7 as instruction sets without FMA compute it.
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
