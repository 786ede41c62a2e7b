// The brick on tensor cores as a driver's body calls it, as tile_brick.hpp has the others.
#pragma once
#include "brgemm_mma.hpp"
#include "host_device.hpp"
#include "tile_brick.hpp"

namespace brickwork {

// C of TC, A and B as the tile has them. Block: as brgemm_mma.hpp says, made of a task's scratch, whose team is
// Tile::kThreads threads.
template <class Tile, class TC, class Block>
struct MmaBrick {
  BrgemmShape shape;

  std::int64_t scratch_bytes() const { return Tile::kScratch; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team&, int beta, const BrgemmCall& call, void* scratch) const {
    BrgemmShape with_beta = shape;
    with_beta.beta = beta;
    Block block(scratch);
    brgemm_mma<Tile, TC>(block, with_beta, call);
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void finish_zeros(const Team& team, const BrgemmCall& call) const {
    finish_zeros_by_team<TC>(team, shape, call);
  }
  template <class Team>
  BRICKWORK_HOST_DEVICE void fill_zeros(const Team& team, TC* c, std::int64_t m, std::int64_t n, std::int64_t ld,
                                        CAccess) const {
    fill_zeros_by_team(team, c, m, n, ld);
  }
};

}  // namespace brickwork
