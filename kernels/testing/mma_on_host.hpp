// The brick on tensor cores as HostWarps run it.
#pragma once
#include "brgemm.hpp"
#include "testing/host_warps.hpp"

namespace brickwork {

enum class MmaBlock { small, narrow, wide };  // of 32 x 32 sums; mma_tiles.hpp has the others

// With operands in ab: f32, multiplied as TF32, or bf16, to which they are converted. C is f32.
BrgemmKernelPtr mma_on_host(const BrgemmShape&, DType ab, MmaBlock, Copies);

}  // namespace brickwork
