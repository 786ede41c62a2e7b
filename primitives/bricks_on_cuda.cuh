// The bricks of a GPU and the spaces that run them, as a setting names them.
#pragma once
#include <stdexcept>
#include <type_traits>

#include "cuda_setting.hpp"
#include "cuda_warps.cuh"
#include "league_cuda.cuh"
#include "mma_brick.hpp"
#include "mma_tiles.hpp"
#include "tile_brick.hpp"
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
#include "league.hpp"
#endif

namespace brickwork {

// run(space), of the space that the setting names.
template <class Run>
void on_space(const CudaSetting& setting, const Run& run) {
  switch (setting.path) {
    case CudaPath::launcher:
      return run(CudaStream{static_cast<cudaStream_t>(setting.stream)});
    case CudaPath::kokkos:
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
      return run(Kokkos::Cuda());
#else
      throw std::invalid_argument("this Kokkos has no CUDA");
#endif
  }
}

template <class Tile, class Brick, class Run>
void run_tile(const Brick& brick, const CudaSetting& setting, const Run& run) {
  using Space = BoundedCudaStream<Tile::kThreads, Tile::kBlocks>;
  run(Space{static_cast<cudaStream_t>(setting.stream)}, brick, Tile::kThreads);
}

// run(space, brick, threads) with the brick that the setting names for calls of this shape; not with warpgroups.
template <class T, class TC, bool a_transposed, class Run>
void with_brick(const BrgemmShape& shape, const CudaSetting& setting, const Run& run) {
  if (setting.brick == CudaBrick::warpgroups) throw std::invalid_argument("this runs no warpgroups");
  if (setting.brick != CudaBrick::tensor_cores) {
    const TeamBrick<T, TC> brick{shape, setting.brick == CudaBrick::staged};
    return on_space(setting, [&](const auto& space) { run(space, brick, setting.threads); });
  }
  if (setting.path != CudaPath::launcher) throw std::invalid_argument("tensor cores are for the launcher");
  for_mma_tile<T, a_transposed>(shape, [&]<class Tile>(std::type_identity<Tile>) {
    run_tile<Tile>(MmaBrick<Tile, TC, CudaWarps>{shape}, setting, run);
  });
}

}  // namespace brickwork
