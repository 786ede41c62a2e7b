// One step over k of a register tile, for one instruction set. loaded_roof.cpp includes this file once per instruction
// set (Highway's foreach_target); the test includes it to count the step's operations.
#if defined(BRICKWORK_LOADED_ROOF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_LOADED_ROOF_INL_H_
#undef BRICKWORK_LOADED_ROOF_INL_H_
#else
#define BRICKWORK_LOADED_ROOF_INL_H_
#endif

#include <cstdint>

#include "experiments/harness/peaks/loaded_roof.hpp"
#include "hwy/highway.h"
#include "kernels/cpu/simd/registers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

// Lanes defines a vector and how to load, spread and multiply it: by Highway, or in the test by counting the calls.
template <RegisterTile kTile, class Lanes>
HWY_INLINE void AddStep(Lanes& lanes, typename Lanes::V (&sums)[kTile.rows][kTile.vecs], const float* a,
                        const float* b) {
  typename Lanes::V b_k[kTile.vecs];
  BRICKWORK_UNROLL for (int v = 0; v < kTile.vecs; ++v) b_k[v] = lanes.Load(b + v * Lanes::kLanes);
  BRICKWORK_UNROLL for (int r = 0; r < kTile.rows; ++r) {
    const typename Lanes::V a_rk = lanes.Spread(a + r);
    BRICKWORK_UNROLL for (int v = 0; v < kTile.vecs; ++v) sums[r][v] = lanes.MultiplyAdd(a_rk, b_k[v], sums[r][v]);
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
