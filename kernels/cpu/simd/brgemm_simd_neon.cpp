// The simd brick for NEON; a translation unit of its own, as its templates take long to compile.
#include "kernels/cpu/simd/brgemm_simd.hpp"

// Highway also needs a target that every machine has.
#define HWY_DISABLED_TARGETS (~(HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#define HWY_TARGET_INCLUDE "kernels/cpu/simd/brgemm_simd-inl.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
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
