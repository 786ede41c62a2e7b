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

// e^x where -88 <= x <= 88, and the nearer of their two elsewhere: 2^n times Taylor's series of the rest, which is at
// most log(2) / 2, so that its first 7 terms leave 1.2e-7 of it. A NaN stays one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedExp(D d, V x) {
  const auto set = [d](float value) HWY_ATTR { return hn::Set(d, value); };
  const V above = hn::IfThenElse(hn::Lt(x, set(-88)), set(-88), x);
  const V y = hn::IfThenElse(hn::Gt(above, set(88)), set(88), above);
  const V n = hn::Round(hn::Mul(y, set(1.44269504f)));
  const V r = hn::NegMulAdd(n, set(-2.12194440e-4f), hn::NegMulAdd(n, set(0.693359375f), y));
  V series = set(1.0f / 720);
  for (const float term : {1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f}) {
    series = hn::MulAdd(series, r, set(term));
  }
  const hn::RebindToSigned<D> di;
  return hn::Mul(series, hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127)))));
}

// Within 2e-7 of the curves, absolutely.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedSigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, BoundedExp(d, hn::Neg(x))));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V BoundedTanh(D d, V x) {
  const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
  return hn::Sub(one, hn::Div(two, hn::Add(one, BoundedExp(d, hn::Mul(two, x)))));
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
