#include "primitives/add/add.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/add/add.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "primitives/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AddBlock(const float* a, const float* b, float* dst, std::size_t count, bool relu, bool stream) {
  Stores(stream, dst).ForEach(count, [=](auto d, std::size_t i, auto put) HWY_ATTR {
    const auto sum = hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    put(relu ? hn::IfThenZeroElse(hn::Lt(sum, hn::Zero(d)), sum) : sum, d, dst + i);
  });
}

void ReluBackwardBlock(const float* dst, const float* ddst, float* dsrc, std::size_t count, bool stream) {
  Stores(stream, dsrc).ForEach(count, [=](auto d, std::size_t i, auto put) HWY_ATTR {
    put(hn::IfThenZeroElse(hn::Le(hn::LoadU(d, dst + i), hn::Zero(d)), hn::LoadU(d, ddst + i)), d, dsrc + i);
  });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "primitives/elementwise/elementwise_blocks.hpp"

namespace brickwork {

HWY_EXPORT(AddBlock);
HWY_EXPORT(ReluBackwardBlock);

void add(const float* a, const float* b, float* dst, std::int64_t size, bool relu, const ElementwisePlan& plan) {
  for_each_block(size, [&](std::int64_t i, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(AddBlock)(a + i, b + i, dst + i, count, relu, past_caches(plan.sweep));
  });
}

void relu_backward(const float* dst, const float* ddst, float* dsrc, std::int64_t size, const ElementwisePlan& plan) {
  for_each_block(size, [&](std::int64_t i, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(ReluBackwardBlock)(dst + i, ddst + i, dsrc + i, count, past_caches(plan.sweep));
  });
}

}  // namespace brickwork
#endif  // HWY_ONCE
