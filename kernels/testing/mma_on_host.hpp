// The bricks of a block of warps as HostWarps run them.
#pragma once
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/testing/host_warps.hpp"

namespace brickwork {

// Small ones, of 32 x 32 sums and of 64 x 64 by wgmma; mma_tiles.hpp has the others.
enum class MmaBlock { small, narrow, wide, small_wgmma, narrow_wgmma, wide_wgmma, low_fma, wide_fma };

// With operands in ab: f32, multiplied as TF32 or, by multiply-adds, strictly; or bf16, to which they are converted. C
// is f32.
BrgemmKernelPtr mma_on_host(const BrgemmShape&, DType ab, MmaBlock, Copies);

}  // namespace brickwork
