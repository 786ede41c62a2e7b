// Curves made of exponentials, for one instruction set (Highway's foreach_target). Where they are most of the work, as
// in the gates of a recurrent layer, Highway's own take three times as long: they hold for any argument, to the last
// bit.
#if defined(BRICKWORK_CURVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_CURVES_INL_H_
#undef BRICKWORK_CURVES_INL_H_
#else
#define BRICKWORK_CURVES_INL_H_
#endif

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

// Within 2e-7 of e^x, relatively, where -87 <= x <= 88; at most 2e-38 below, and 0 from -88 on; above, that of 88. A
// NaN stays one.
//
// It is 2^n times a polynomial of the rest, which is at most log(2) / 2. Its coefficients leave the least relative
// error of all of degree 5 that begin with 1 + x: 1.05e-7, where Taylor's series has 1.2e-7 of degree 6.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedExp(D d, V x) {
  const auto set = [d](float value) HWY_ATTR { return hn::Set(d, value); };
  const V y = NotAbove(set(88), NotBelow(set(-88), x));
  // Among numbers of this size the next one is 1 more: the sum rounds, and its low bits are the exponent's of 2^n.
  const V ones = set((1 << 23) + (1 << 22) + 127);
  const V sum = hn::MulAdd(y, set(1.44269504f), ones);
  const V n = hn::Sub(sum, ones);
  const V r = hn::NegMulAdd(n, set(-2.12194440e-4f), hn::NegMulAdd(n, set(0.693359375f), y));
  V series = set(8.31252057e-3f);
  for (const float term : {4.18901555e-2f, 0.166671142f, 0.499992311f, 1.0f, 1.0f}) {
    series = hn::MulAdd(series, r, set(term));
  }
  return hn::Mul(series, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(hn::RebindToUnsigned<D>(), sum))));
}

// BoundedExp of what is not above 0, within 2e-7 + 2e-8 |x|, relatively, where x >= -87: enough for a softmax, in whose
// sums the small ones vanish. It is 2^n times a polynomial of what x / log(2) has beyond n, whose product with one
// constant is rounded once: where there is no FMA, that would lose it. A loss over rows in the caches takes 0.9 of the
// time.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedExpOfNegative(D d, V x) {
#if HWY_NATIVE_FMA
  const auto set = [d](float value) HWY_ATTR { return hn::Set(d, value); };
  const V y = NotBelow(set(-88), x);
  const V ones = set((1 << 23) + (1 << 22) + 127), log2e = set(1.44269504f);
  const V sum = hn::MulAdd(y, log2e, ones);
  const V r = hn::MulSub(y, log2e, hn::Sub(sum, ones));
  V series = set(1.33002572e-3f);
  for (const float term : {9.66971817e-3f, 5.55055991e-2f, 0.240222813f, 0.693147181f, 1.0f}) {
    series = hn::MulAdd(series, r, set(term));
  }
  return hn::Mul(series, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(hn::RebindToUnsigned<D>(), sum))));
#else
  return BoundedExp(d, x);
#endif
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
  return BoundedReciprocal(d, hn::Add(hn::Set(d, 1.0f), BoundedExp(d, hn::Neg(x))));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedTanh(D d, V x) {
  const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
  return hn::NegMulAdd(two, BoundedReciprocal(d, hn::Add(one, BoundedExp(d, hn::Add(x, x)))), one);
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
