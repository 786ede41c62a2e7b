#include "primitives/conv/scatter/overlap_add.hpp"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/conv/scatter/overlap_add.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must follow foreach_target.h.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Masked accesses for the tail made ResNet-50's first layer backward by data 20 % slower (Zen 4).
HWY_INLINE void AddWindow(float* HWY_RESTRICT sum, const float* HWY_RESTRICT window, std::int64_t n) {
  ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, n, [&](auto d, std::int64_t j) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, sum + j), hn::LoadU(d, window + j)), d, sum + j);
  });
}

// The windows of one round do not overlap: a load that covers part of a recent store waits until the store is done.
void OverlapAdd(float* sum, std::int64_t step, const float* windows, std::int64_t ld, std::int64_t m, std::int64_t n) {
  const std::int64_t rounds = (n + step - 1) / step;
  for (std::int64_t first = 0; first < rounds && first < m; ++first) {
    for (std::int64_t i = first; i < m; i += rounds) AddWindow(sum + i * step, windows + i * ld, n);
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(OverlapAdd);

void overlap_add(float* sum, std::int64_t step, const float* windows, std::int64_t ld, std::int64_t m, std::int64_t n) {
  BRICKWORK_CHOSEN(OverlapAdd);
  chosen(sum, step, windows, ld, m, n);
}

}  // namespace brickwork
#endif
