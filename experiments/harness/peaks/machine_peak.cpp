// Compiled once per instruction set by foreach_target; the run-time dispatch takes the best one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "experiments/harness/peaks/machine_peak.cpp"
#include <hwy/foreach_target.h>
// clang-format off: foreach_target must come before highway.h
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One multiply-add on each accumulator. Each depends on the accumulator's last one, so `latency x units` of them must
// be in flight.
template <class V, class... Accumulators>
HWY_INLINE void MultiplyAddAll(V x, V y, Accumulators&... accumulators) {
  ((accumulators = hn::MulAdd(accumulators, x, y)), ...);
}

// 12 accumulators fit 16 registers with the two operands and cover latency 4 x 2 units; 24 fit 32 registers and cover
// the four units of the widest ARM cores too.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SCALAR
constexpr int kAccumulators = 12;
#else
constexpr int kAccumulators = 24;
#endif

// The compiler knows neither x nor y, and the sum is returned through a function pointer: it cannot fold anything.
float FmaChain(std::int64_t steps, float x_value, float y_value) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, x_value), y = hn::Set(d, y_value);
  const auto start = [&](float i) HWY_ATTR { return hn::Iota(d, i); };
  auto a0 = start(0), a1 = start(1), a2 = start(2), a3 = start(3), a4 = start(4), a5 = start(5);
  auto a6 = start(6), a7 = start(7), a8 = start(8), a9 = start(9), a10 = start(10), a11 = start(11);
  if constexpr (kAccumulators == 12) {
    for (std::int64_t i = 0; i < steps; ++i) MultiplyAddAll(x, y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
  } else {
    auto b0 = start(12), b1 = start(13), b2 = start(14), b3 = start(15), b4 = start(16), b5 = start(17);
    auto b6 = start(18), b7 = start(19), b8 = start(20), b9 = start(21), b10 = start(22), b11 = start(23);
    for (std::int64_t i = 0; i < steps; ++i) {
      MultiplyAddAll(x, y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9,
                     b10, b11);
    }
    a0 = hn::Add(hn::Add(hn::Add(b0, b1), hn::Add(b2, b3)), hn::Add(hn::Add(b4, b5), a0));
    a1 = hn::Add(hn::Add(hn::Add(b6, b7), hn::Add(b8, b9)), hn::Add(hn::Add(b10, b11), a1));
  }
  const auto left = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(a4, a5));
  const auto right = hn::Add(hn::Add(hn::Add(a6, a7), hn::Add(a8, a9)), hn::Add(a10, a11));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(left, right)));
}

double FlopPerStep() { return 2.0 * kAccumulators * static_cast<double>(hn::Lanes(hn::ScalableTag<float>())); }

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "experiments/harness/peaks/machine_peak.hpp"

namespace brickwork {

HWY_EXPORT(FmaChain);
HWY_EXPORT(FlopPerStep);
HWY_EXPORT(TargetName);

namespace {

#ifdef __SANITIZE_ADDRESS__
// A tenth of the steps is enough where the sanitizer checks every step and nobody reads the times.
constexpr std::int64_t kFmaSteps = 25'000;
#else
// 250,000 steps x 12 cycles: about 1 ms, as long as a layer of one image, so a busy machine delays both alike where the
// threads meet.
constexpr std::int64_t kFmaSteps = 250'000;
#endif

}  // namespace

FmaPeak::FmaPeak(int threads) : FmaPeak(threads, kFmaSteps) {}

FmaPeak::FmaPeak(int threads, std::int64_t steps) : threads_(threads), steps_(steps) {}

double FmaPeak::run(float x, float y) const {
  double sum = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : sum)
  sum += HWY_DYNAMIC_DISPATCH(FmaChain)(steps_, x, y);
  return sum;
}

double FmaPeak::flop() const { return threads_ * static_cast<double>(steps_) * HWY_DYNAMIC_DISPATCH(FlopPerStep)(); }

std::string FmaPeak::isa() const { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace brickwork
#endif  // HWY_ONCE
