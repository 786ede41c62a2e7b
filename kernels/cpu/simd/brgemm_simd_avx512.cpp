// The simd brick for AVX-512; a translation unit of its own, as its templates take long to compile.
#include "kernels/cpu/simd/brgemm_simd.hpp"

// Highway also needs a target that every machine has.
#define HWY_DISABLED_TARGETS (~(HWY_AVX3 | HWY_EMU128 | HWY_SCALAR))
#define HWY_TARGET_INCLUDE "kernels/cpu/simd/brgemm_simd-inl.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "kernels/cpu/simd/brgemm_simd-inl.h"

namespace brickwork {

SimdIsa simd_avx512() {
#if HWY_TARGETS & HWY_AVX3
  return {Isa::avx512, HWY_AVX3, 16, false, &N_AVX3::CutColumns};
#else
  return {Isa::avx512, 0, 16, false, nullptr};
#endif
}

}  // namespace brickwork
