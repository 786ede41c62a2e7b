#include "kernels/layout/zeros.hpp"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layout/zeros.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void FillZeros(float* c, std::int64_t m, std::int64_t n, std::int64_t ld, CAccess access) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (access == CAccess::cached || !AlignedVectors(n, c) || ld % lanes != 0) {
    for (std::int64_t i = 0; i < m; ++i) std::fill_n(c + i * ld, n, 0.0F);
    return;
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; j += lanes) hn::Stream(hn::Zero(d), d, c + i * ld + j);
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(FillZeros);

void fill_zeros(float* c, std::int64_t m, std::int64_t n, std::int64_t ld, CAccess access) {
  BRICKWORK_CHOSEN(FillZeros);
  chosen(c, m, n, ld, access);
}

}  // namespace brickwork
#endif
