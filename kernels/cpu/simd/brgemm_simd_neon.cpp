// The simd brick for NEON, in a translation unit of its own: its templates take longest to compile.
#include "kernels/cpu/simd/brgemm_simd.hpp"

// Highway also wants a target that every machine has.
#define HWY_DISABLED_TARGETS (~(HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#define HWY_TARGET_INCLUDE "kernels/cpu/simd/brgemm_simd-inl.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "kernels/cpu/simd/brgemm_simd-inl.h"

namespace brickwork {

SimdIsa simd_neon() {
#if HWY_TARGETS & HWY_NEON
  return {Isa::neon, HWY_NEON, 4, false, &N_NEON::CutColumns};
#else
  return {Isa::neon, 0, 4, false, nullptr};
#endif
}

}  // namespace brickwork
