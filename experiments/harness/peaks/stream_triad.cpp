// Compiled once per instruction set by foreach_target; the run-time dispatch takes the best one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "experiments/harness/peaks/stream_triad.cpp"
#include <hwy/foreach_target.h>
// clang-format off: foreach_target must come before highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// a is aligned to vectors.
void TriadBlock(double* a, const double* b, const double* c, std::size_t size) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::Stream(hn::MulAdd(hn::Set(d, 3.0), hn::LoadU(d, c + i), hn::LoadU(d, b + i)), d, a + i);
  }
  for (; i < size; ++i) a[i] = b[i] + 3.0 * c[i];
  hwy::FlushStream();
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "experiments/harness/peaks/stream_triad.hpp"

namespace brickwork {

HWY_EXPORT(TriadBlock);

void triad_past_caches(double* a, const double* b, const double* c, std::ptrdiff_t size, int threads) {
  constexpr std::ptrdiff_t kBlock = 1 << 15;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::ptrdiff_t i = 0; i < size; i += kBlock) {
    HWY_DYNAMIC_DISPATCH(TriadBlock)(a + i, b + i, c + i, static_cast<std::size_t>(std::min(kBlock, size - i)));
  }
}

}  // namespace brickwork
#endif  // HWY_ONCE
