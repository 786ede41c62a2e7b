// The bricks of a block of warps on the host, called as a driver's body calls them; host_warps.hpp follows the rules of
// their instructions.
#pragma once
#include <stdexcept>
#include <type_traits>

#include "kernels/gpu/mma/mma_tiles.hpp"
#include "kernels/testing/host_warps.hpp"
#include "primitives/bricks/block_brick.hpp"
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {

// Has its own shared memory instead of the task's scratch.
template <class Tile>
struct HostBlock : HostWarps {
  explicit HostBlock(void*) : HostWarps(Tile::kThreads, Tile::kScratch, Copies::late) {}
};

// run(brick) with the brick of tensor cores or of multiply-adds that a device would choose.
template <class T, class TC, bool a_transposed, class Run>
void with_host_block(CudaBrick brick, const BrgemmShape& shape, const Run& run) {
  const auto run_with = [&]<class Tile>(std::type_identity<Tile>) {
    run(BlockBrick<Tile, TC, HostBlock<Tile>>{shape});
  };
  if (brick == CudaBrick::tensor_cores) return for_mma_tile<T, a_transposed>(shape, run_with);
  if constexpr (std::is_same_v<T, float>) {
    if (brick == CudaBrick::multiply_adds) return for_fma_tile<a_transposed>(shape, run_with);
  }
  throw std::logic_error("no such brick");
}

inline const Kokkos::DefaultHostExecutionSpace& host_space() {
  static const Kokkos::DefaultHostExecutionSpace space;
  return space;
}

}  // namespace brickwork
