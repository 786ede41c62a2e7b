#include "primitives/sgd/sgd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/sgd/sgd.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "primitives/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void SgdBlock(const SgdStep& step, const SgdInputs& in, const SgdOutputs& out, std::size_t count, bool stream) {
  Stores(stream, out.weights, out.velocity).ForEach(count, [=](auto d, std::size_t i, auto put) HWY_ATTR {
    const auto w = hn::LoadU(d, in.weights + i);
    const auto gradient = hn::MulAdd(hn::Set(d, step.decay), w, hn::LoadU(d, in.gradient + i));
    const auto v = hn::MulAdd(hn::Set(d, step.momentum), hn::LoadU(d, in.velocity + i), gradient);
    put(v, d, out.velocity + i);
    put(hn::NegMulAdd(hn::Set(d, step.rate), v, w), d, out.weights + i);
  });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "primitives/elementwise/elementwise_blocks.hpp"

namespace brickwork {

HWY_EXPORT(SgdBlock);

void sgd(const SgdStep& step, const SgdInputs& in, const SgdOutputs& out, std::int64_t size,
         const ElementwisePlan& plan) {
  for_each_block(size, [&](std::int64_t i, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(SgdBlock)
    (step, {in.weights + i, in.velocity + i, in.gradient + i}, {out.weights + i, out.velocity + i}, count,
     past_caches(plan.sweep));
  });
}

}  // namespace brickwork
#endif  // HWY_ONCE
