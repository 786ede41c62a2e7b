// The simd brick for AVX2; a translation unit of its own, as its templates take long to compile.
#include "kernels/cpu/simd/brgemm_simd.hpp"

// Highway also needs a target that every machine has.
#define HWY_DISABLED_TARGETS (~(HWY_AVX2 | HWY_EMU128 | HWY_SCALAR))
#define HWY_TARGET_INCLUDE "kernels/cpu/simd/brgemm_simd-inl.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "kernels/cpu/simd/brgemm_simd-inl.h"

namespace brickwork {

SimdIsa simd_avx2() {
#if HWY_TARGETS & HWY_AVX2
  return {Isa::avx2, HWY_AVX2, 8, true, &N_AVX2::CutColumns};
#else
  return {Isa::avx2, 0, 8, true, nullptr};
#endif
}

}  // namespace brickwork
