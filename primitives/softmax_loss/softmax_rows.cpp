#include "softmax_loss/softmax_rows.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "softmax_loss/softmax_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "curves-inl.h"
#include "elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

float RowMax(const float* x, std::size_t size) {
  float max = x[0];
  const hn::ScalableTag<float> d;
  if (size >= hn::Lanes(d)) {
    auto lanes = hn::LoadU(d, x);
    for (std::size_t i = 0; i + hn::Lanes(d) <= size; i += hn::Lanes(d)) lanes = hn::Max(lanes, hn::LoadU(d, x + i));
    // The last whole vector meets some a second time, which changes no maximum.
    lanes = hn::Max(lanes, hn::LoadU(d, x + size - hn::Lanes(d)));
    max = hn::GetLane(hn::MaxOfLanes(d, lanes));
  } else {
    for (std::size_t i = 1; i < size; ++i) max = std::max(max, x[i]);
  }
  return max;
}

// exp(x - max), of which no exponent is above 0; 0 below -88.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOf(D d, const float* x, float max) {
  return BoundedExp(d, hn::Sub(hn::LoadU(d, x), hn::Set(d, max)));
}

// e: null or not. In f64 are the sums of so many at a time, which are in f32.
template <bool kStore>
double SumExp(const float* x, float max, float* e, std::size_t size) {
  constexpr std::size_t kTogether = 4096;
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  double sum = 0;
  for (std::size_t i = 0; i < size;) {
    const std::size_t end = std::min(size, i + kTogether);
    auto even = hn::Zero(d), odd = hn::Zero(d);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      const auto first = ExpOf(d, x + i, max), second = ExpOf(d, x + i + lanes, max);
      even = hn::Add(even, first);
      odd = hn::Add(odd, second);
      if constexpr (kStore) {
        hn::StoreU(first, d, e + i);
        hn::StoreU(second, d, e + i + lanes);
      }
    }
    float rest = 0;
    ForEachVector(d, i, end, [&](auto tail, std::size_t at) HWY_ATTR {
      const auto value = ExpOf(tail, x + at, max);
      rest += hn::GetLane(hn::SumOfLanes(tail, value));
      if constexpr (kStore) hn::StoreU(value, tail, e + at);
    });
    i = end;
    sum += rest + hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  }
  return sum;
}

double RowExp(const float* x, float max, float* e, std::size_t size) {
  return e == nullptr ? SumExp<false>(x, max, e, size) : SumExp<true>(x, max, e, size);
}

void ScaleRow(const float* from, float scale, float* to, std::size_t size, bool stream) {
  Stores(stream, to).ForEach(size, [=](auto d, std::size_t i, auto put) HWY_ATTR {
    put(hn::Mul(hn::LoadU(d, from + i), hn::Set(d, scale)), d, to + i);
  });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(RowMax);
HWY_EXPORT(RowExp);
HWY_EXPORT(ScaleRow);

float row_max(const float* x, std::size_t size) { return HWY_DYNAMIC_DISPATCH(RowMax)(x, size); }

double row_exp(const float* x, float max, float* e, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(RowExp)(x, max, e, size);
}

void scale_row(const float* from, float scale, float* to, std::size_t size, bool stream) {
  HWY_DYNAMIC_DISPATCH(ScaleRow)(from, scale, to, size, stream);
}

}  // namespace brickwork
#endif  // HWY_ONCE
