// The brick of Hopper's warpgroups, for sources that are compiled for sm_90a. bricks_on_cuda.cuh has the other bricks.
#pragma once
#include "kernels/gpu/wgmma/cuda_warpgroups.cuh"
#include "primitives/bricks/bricks_on_cuda.cuh"

namespace brickwork {

template <class TC, bool a_transposed, class Run>
void with_warpgroups(const BrgemmShape& shape, const CudaSetting& setting, const Run& run) {
  if (setting.path != CudaPath::launcher)
    throw std::invalid_argument("the brick of warpgroups runs only with path launcher");
  for_wgmma_tile<a_transposed>(shape, [&]<class Tile>(std::type_identity<Tile>) {
    run_tile<Tile>(BlockBrick<Tile, TC, CudaWarpgroups>{shape}, setting, run);
  });
}

}  // namespace brickwork
