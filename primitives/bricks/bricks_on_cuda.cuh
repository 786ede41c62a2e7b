// Turns a CudaSetting into the brick and the execution space that it names.
#pragma once
#include <stdexcept>
#include <type_traits>

#include "kernels/gpu/cuda/cuda_warps.cuh"
#include "kernels/gpu/mma/mma_tiles.hpp"
#include "primitives/bricks/block_brick.hpp"
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/nest/league_cuda.cuh"
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
#include "primitives/nest/league.hpp"
#endif

namespace brickwork {

// Calls run(space) with the setting's space.
template <class Run>
void on_space(const CudaSetting& setting, const Run& run) {
  switch (setting.path) {
    case CudaPath::launcher:
      return run(CudaStream{static_cast<cudaStream_t>(setting.stream)});
    case CudaPath::kokkos:
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
      return run(Kokkos::Cuda());
#else
      throw std::invalid_argument("this Kokkos was built without CUDA");
#endif
  }
}

template <class Tile, class Brick, class Run>
void run_tile(const Brick& brick, const CudaSetting& setting, const Run& run) {
  using Space = BoundedCudaStream<Tile::kThreads, Tile::kBlocks>;
  run(Space{static_cast<cudaStream_t>(setting.stream)}, brick, Tile::kThreads);
}

// Calls run(space, brick, threads) with the setting's brick for calls of this shape; warpgroups are in
// bricks_on_hopper.cuh. Throws std::invalid_argument if the setting cannot run such calls.
template <class T, class TC, bool a_transposed, class Run>
void with_brick(const BrgemmShape& shape, const CudaSetting& setting, const Run& run) {
  if (setting.brick < CudaBrick::multiply_adds) {
    const TeamBrick<T, TC> brick{shape, setting.brick == CudaBrick::staged};
    return on_space(setting, [&](const auto& space) { run(space, brick, setting.threads); });
  }
  if (setting.path != CudaPath::launcher)
    throw std::invalid_argument("bricks of blocks of warps run only with path launcher");
  const auto run_with = [&]<class Tile>(std::type_identity<Tile>) {
    run_tile<Tile>(BlockBrick<Tile, TC, CudaWarps>{shape}, setting, run);
  };
  if (setting.brick == CudaBrick::tensor_cores) return for_mma_tile<T, a_transposed>(shape, run_with);
  if constexpr (std::is_same_v<T, float>) {
    if (setting.brick == CudaBrick::multiply_adds) return for_fma_tile<a_transposed>(shape, run_with);
  }
  throw std::invalid_argument("this brick does not multiply elements of this type");
}

}  // namespace brickwork
