#include "epilogue.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "epilogue.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Columns [j, n) of one row, as far as whole vectors of D go; the rest by vectors half as long, down to one lane. So a
// tail needs no masked access, which some targets emulate by touching the whole vector.
template <class D>
HWY_INLINE void ApplyToRow(D d, float* HWY_RESTRICT c, const float* HWY_RESTRICT residual, std::size_t j, std::size_t n,
                           const TileEpilogue& e) {
  const std::size_t lanes = hn::Lanes(d);
  for (; j + lanes <= n; j += lanes) {
    auto x = hn::LoadU(d, c + j);
    if (e.bias) x = hn::Add(x, hn::LoadU(d, e.bias + j));
    if (residual) x = hn::Add(x, hn::LoadU(d, residual + j));
    if (e.relu) x = hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    hn::StoreU(x, d, c + j);
  }
  if constexpr (hn::MaxLanes(d) > 1) {
    if (j < n) ApplyToRow(hn::Half<D>(), c, residual, j, n, e);
  }
}

void ApplyEpilogue(float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
  const auto* residual = static_cast<const float*>(e.residual);
  for (int i = 0; i < m; ++i)
    ApplyToRow(hn::ScalableTag<float>(), c + i * ldc, residual ? residual + i * e.ldr : nullptr, 0,
               static_cast<std::size_t>(n), e);
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(ApplyEpilogue);

void apply_epilogue(float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
  // Chosen once: Highway's own dispatch would look at the machine's targets again for every tile.
  static const auto chosen = [] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return &HWY_DYNAMIC_DISPATCH(ApplyEpilogue);
  }();
  chosen(c, m, n, ldc, e);
}

}  // namespace brickwork
#endif
