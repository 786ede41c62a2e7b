// Compiled once per instruction set by foreach_target; the run-time dispatch takes the best one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine_peak.cpp"
#include <hwy/foreach_target.h>
// clang-format off: foreach_target must come before highway.h
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One multiply-add onto each accumulator. Each depends on its last, so `latency x units` of them must be in flight.
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

// x and y are not known when this is compiled and the sum is returned through a function pointer: nothing folds.
float FmaChain(std::size_t steps, float x_value, float y_value) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, x_value), y = hn::Set(d, y_value);
  const auto start = [&](float i) HWY_ATTR { return hn::Iota(d, i); };
  auto a0 = start(0), a1 = start(1), a2 = start(2), a3 = start(3), a4 = start(4), a5 = start(5);
  auto a6 = start(6), a7 = start(7), a8 = start(8), a9 = start(9), a10 = start(10), a11 = start(11);
  if constexpr (kAccumulators == 12) {
    for (std::size_t i = 0; i < steps; ++i) MultiplyAddAll(x, y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
  } else {
    auto b0 = start(12), b1 = start(13), b2 = start(14), b3 = start(15), b4 = start(16), b5 = start(17);
    auto b6 = start(18), b7 = start(19), b8 = start(20), b9 = start(21), b10 = start(22), b11 = start(23);
    for (std::size_t i = 0; i < steps; ++i) {
      MultiplyAddAll(x, y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9,
                     b10, b11);
    }
    MultiplyAddAll(x, y, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11);
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

#include <algorithm>

#include "machine_peak.hpp"

namespace brickwork {

HWY_EXPORT(FmaChain);
HWY_EXPORT(FlopPerStep);
HWY_EXPORT(TargetName);

namespace {

#ifdef __SANITIZE_ADDRESS__
// A hundredth will do where every sum is looked at in every step and nobody reads the times.
constexpr std::size_t kFmaSteps = 25'000;
#else
// x 12 cycles: about 10 ms, as long as a layer, so that a busy machine holds both up alike where the threads meet.
constexpr std::size_t kFmaSteps = 2'500'000;
#endif

std::size_t doubles(std::int64_t bytes) { return static_cast<std::size_t>(bytes) / sizeof(double); }

}  // namespace

void FmaPeak::run() const {
  static volatile float x = 0.5F, y = 1.0F;  // converges to 2: no overflow, no denormals
#pragma omp parallel num_threads(threads_)
  static_cast<void>(HWY_DYNAMIC_DISPATCH(FmaChain)(kFmaSteps, x, y));
}

double FmaPeak::flop() const { return threads_ * static_cast<double>(kFmaSteps) * HWY_DYNAMIC_DISPATCH(FlopPerStep)(); }

std::string FmaPeak::isa() const { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

// Each array four times the last level, as STREAM asks, but at most 256 MiB in all.
StreamTriad::StreamTriad(int threads, std::int64_t l3_bytes)
    : threads_(threads),
      a_(doubles(std::clamp<std::int64_t>(4 * l3_bytes, std::int64_t{16} << 20, (std::int64_t{256} << 20) / 3))),
      b_(a_.size()),
      c_(a_.size()) {
  std::ranges::fill(b_, 1.0);
  std::ranges::fill(c_, 2.0);
}

void StreamTriad::run() {
  double* const a = a_.data();
  const double* const b = b_.data();
  const double* const c = c_.data();
  const auto size = static_cast<std::ptrdiff_t>(a_.size());
#pragma omp parallel for simd num_threads(threads_) schedule(static)
  for (std::ptrdiff_t i = 0; i < size; ++i) a[i] = b[i] + 3.0 * c[i];
}

CacheEvictor::CacheEvictor(int threads, std::int64_t l3_bytes)
    : threads_(threads), buffer_(doubles(4 * std::max(l3_bytes, std::int64_t{8} << 20))) {}

void CacheEvictor::operator()() {
  double* const data = buffer_.data();
  const auto size = static_cast<std::ptrdiff_t>(buffer_.size());
#pragma omp parallel for simd num_threads(threads_) schedule(static)
  for (std::ptrdiff_t i = 0; i < size; ++i) data[i] += 1.0;
}

}  // namespace brickwork
#endif  // HWY_ONCE
