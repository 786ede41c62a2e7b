#include "primitives/softmax_loss/softmax_rows.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/softmax_loss/softmax_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "kernels/epilogue/curves-inl.h"
#include "primitives/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

float RowMax(const float* x, std::size_t size) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto even = hn::Set(d, x[0]), odd = even;
  std::size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    even = hn::Max(even, hn::LoadU(d, x + i));
    odd = hn::Max(odd, hn::LoadU(d, x + i + lanes));
  }
  float max = hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd)));
  for (; i < size; ++i) max = std::max(max, x[i]);
  return max;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOf(D d, const float* x, float max) {
  return BoundedExpOfNegative(d, hn::Sub(hn::LoadU(d, x), hn::Set(d, max)));
}

// kStore: whether e is not null. The maximum of the next row is found while exponentials are computed, so that it waits
// for memory meanwhile. It prefetches two pages ahead, which is farther than the hardware does: on Zen 5, long batches
// of rows of 1000 take 0.6 of the time of both one after the other (0.75 with one page), and rows of 32000 take 0.9
// instead of 1.2.
template <bool kStore>
RowPart SumExp(const float* x, float max, float* e, std::size_t size, const float* behind, Sweep sweep) {
  constexpr std::size_t kAhead = 2 * 4096 / sizeof(float);
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto even = hn::Zero(d), odd = hn::Zero(d);
  auto max_even = hn::Set(d, behind[0]), max_odd = max_even;
  std::size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    AskAhead(behind + kAhead + i, sweep);
    AskAhead(behind + kAhead + i + lanes, sweep);
    max_even = hn::Max(max_even, hn::LoadU(d, behind + i));
    max_odd = hn::Max(max_odd, hn::LoadU(d, behind + i + lanes));
    const auto first = ExpOf(d, x + i, max), second = ExpOf(d, x + i + lanes, max);
    even = hn::Add(even, first);
    odd = hn::Add(odd, second);
    if constexpr (kStore) {
      hn::StoreU(first, d, e + i);
      hn::StoreU(second, d, e + i + lanes);
    }
  }
  RowPart part{hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))),
               hn::GetLane(hn::MaxOfLanes(d, hn::Max(max_even, max_odd)))};
  ForEachVector(d, i, size, [&](auto tail, std::size_t at) HWY_ATTR {
    const auto value = ExpOf(tail, x + at, max);
    part.sum += hn::GetLane(hn::SumOfLanes(tail, value));
    part.max_behind = std::max(part.max_behind, hn::GetLane(hn::MaxOfLanes(tail, hn::LoadU(tail, behind + at))));
    if constexpr (kStore) hn::StoreU(value, tail, e + at);
  });
  return part;
}

RowPart RowExp(const float* x, float max, float* e, std::size_t size, const float* behind, Sweep sweep) {
  return e == nullptr ? SumExp<false>(x, max, e, size, behind, sweep) : SumExp<true>(x, max, e, size, behind, sweep);
}

void ScaleRow(const float* from, float scale, float* to, std::size_t size, bool stream) {
  const auto part = [=](std::size_t first, std::size_t end, bool past_caches) HWY_ATTR {
    Stores(past_caches, to + first).ForEach(end - first, [=](auto d, std::size_t i, auto put) HWY_ATTR {
      put(hn::Mul(hn::LoadU(d, from + first + i), hn::Set(d, scale)), d, to + first + i);
    });
  };
  // Only aligned vectors can go past the caches, and rows of 1000 begin anywhere: without an aligned part, their
  // gradient takes 1.6 times as long.
  const std::size_t over = reinterpret_cast<std::uintptr_t>(to) % HWY_MAX_BYTES;
  const std::size_t head = over == 0 ? 0 : std::min(size, (HWY_MAX_BYTES - over) / sizeof(float));
  part(0, head, false);
  part(head, size, stream);
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickwork {

HWY_EXPORT(RowMax);
HWY_EXPORT(RowExp);
HWY_EXPORT(ScaleRow);

float row_max(const float* x, std::size_t size) { return HWY_DYNAMIC_DISPATCH(RowMax)(x, size); }

RowPart row_exp(const float* x, float max, float* e, std::size_t size, const float* behind, Sweep sweep) {
  return HWY_DYNAMIC_DISPATCH(RowExp)(x, max, e, size, behind, sweep);
}

void scale_row(const float* from, float scale, float* to, std::size_t size, bool stream) {
  HWY_DYNAMIC_DISPATCH(ScaleRow)(from, scale, to, size, stream);
}

}  // namespace brickwork
#endif  // HWY_ONCE
