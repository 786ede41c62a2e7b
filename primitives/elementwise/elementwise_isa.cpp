#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elementwise/elementwise_isa.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
const char* ElementwiseIsa() { return hwy::TargetName(HWY_TARGET); }
}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "elementwise/elementwise_plan.hpp"

namespace brickwork {

HWY_EXPORT(ElementwiseIsa);

std::string elementwise_isa() { return HWY_DYNAMIC_DISPATCH(ElementwiseIsa)(); }

}  // namespace brickwork
#endif  // HWY_ONCE
