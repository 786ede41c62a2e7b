#include "overlap_add.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "overlap_add.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As in epilogue.cpp, a tail is added by ever shorter vectors: masked accesses made ResNet-50's first layer backward by
// data 20 % slower (Zen 4).
template <class D>
HWY_INLINE void AddWindow(D d, float* HWY_RESTRICT sum, const float* HWY_RESTRICT window, std::size_t j,
                          std::size_t n) {
  const std::size_t lanes = hn::Lanes(d);
  for (; j + lanes <= n; j += lanes) hn::StoreU(hn::Add(hn::LoadU(d, sum + j), hn::LoadU(d, window + j)), d, sum + j);
  if constexpr (hn::MaxLanes(d) > 1) {
    if (j < n) AddWindow(hn::Half<D>(), sum, window, j, n);
  }
}

// In rounds of windows that do not overlap: a core that loads what it has just stored, but not from the same address,
// waits until the store is done.
void OverlapAdd(float* sum, std::int64_t step, const float* windows, std::int64_t ld, std::int64_t m, std::int64_t n) {
  const std::int64_t rounds = (n + step - 1) / step;
  for (std::int64_t first = 0; first < rounds && first < m; ++first) {
    for (std::int64_t i = first; i < m; i += rounds) {
      AddWindow(hn::ScalableTag<float>(), sum + i * step, windows + i * ld, 0, static_cast<std::size_t>(n));
    }
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(OverlapAdd);

void overlap_add(float* sum, std::int64_t step, const float* windows, std::int64_t ld, std::int64_t m, std::int64_t n) {
  static const auto chosen = [] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return &HWY_DYNAMIC_DISPATCH(OverlapAdd);
  }();
  chosen(sum, step, windows, ld, m, n);
}

}  // namespace brickwork
#endif
