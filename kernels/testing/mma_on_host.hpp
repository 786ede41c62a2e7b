// The bricks of a block of warps, run by HostWarps.
#pragma once
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/testing/host_warps.hpp"

namespace brickwork {

// small has 32 x 32 sums, small_wgmma 64 x 64; mma_tiles.hpp has the others.
enum class MmaBlock { small, narrow, wide, small_wgmma, narrow_wgmma, wide_wgmma, low_fma, wide_fma };

// Multiplies in ab: f32 is rounded to TF32 or, by multiply-adds, strict; for bf16 the operands are converted. C is f32.
BrgemmKernelPtr mma_on_host(const BrgemmShape&, DType ab, MmaBlock, Copies);

}  // namespace brickwork
