// The brick on tensor cores as a driver's body calls it, on the host: by the rules of its instructions
// (host_warps.hpp).
#pragma once
#include <type_traits>

#include "league.hpp"
#include "mma_brick.hpp"
#include "mma_tiles.hpp"
#include "testing/host_warps.hpp"

namespace brickwork {

// It has shared memory of its own, in place of the task's scratch.
template <class Tile>
struct HostBlock : HostWarps {
  explicit HostBlock(void*) : HostWarps(Tile::kThreads, Tile::kScratch, Copies::late) {}
};

// run(brick) with the one that a device would choose.
template <class T, class TC, bool a_transposed, class Run>
void with_host_block(const BrgemmShape& shape, const Run& run) {
  for_mma_tile<T, a_transposed>(
      shape, [&]<class Tile>(std::type_identity<Tile>) { run(MmaBrick<Tile, TC, HostBlock<Tile>>{shape}); });
}

inline const Kokkos::DefaultHostExecutionSpace& host_space() {
  static const Kokkos::DefaultHostExecutionSpace space;
  return space;
}

}  // namespace brickwork
