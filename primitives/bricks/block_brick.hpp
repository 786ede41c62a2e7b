// The bricks of a block of warps as a driver's body calls them, as tile_brick.hpp has the others.
#pragma once
#include "kernels/base/host_device.hpp"
#include "kernels/gpu/mma/mma_tiles.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/nest/team_shared.hpp"

namespace brickwork {

// C of TC, A and B as the tile has them. Block: as brgemm_mma.hpp says, made of a task's scratch, whose team is
// Tile::kThreads threads.
template <class Tile, class TC, class Block>
struct BlockBrick {
  BrgemmShape shape;

  std::int64_t scratch_bytes() const { return Tile::kScratch; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, int beta, const BrgemmCall& call, void* scratch) const {
    if constexpr (Tile::kInlined) {
      BrgemmShape with_beta = shape;  // whose members are a kernel's arguments
      with_beta.beta = beta;
      TeamShared<BrgemmCall, Team> of_team(team);
      of_team.update([&](BrgemmCall& shared) { shared = call; });
      multiply(with_beta, of_team.get(), scratch);
    } else {
      TeamShared<CallOfShape, Team> of_team(team);
      of_team.update([&](CallOfShape& shared) { shared.set(shape, beta, call); });
      multiply_apart(of_team.get().shape, of_team.get().call, scratch);
    }
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void fill_zeros(const Team& team, TC* c, std::int64_t m, std::int64_t n, std::int64_t ld,
                                        CAccess) const {
    fill_zeros_by_team(team, c, m, n, ld);
  }

 private:
  BRICKWORK_HOST_DEVICE static void multiply(const BrgemmShape& shape, const BrgemmCall& call, void* scratch) {
    Block block(scratch);
    brgemm_by_block<Tile, TC>(block, shape, call);
  }
  // That of mma.sync: inlined, what the loops around it keep would take the registers of its sums. A call would end the
  // pipeline of wgmma's asynchronous products, and with multiply-adds a step of an LSTM took 1.4 to 1.7 times as long
  // (H100).
  BRICKWORK_HOST_DEVICE BRICKWORK_DEVICE_NOINLINE static void multiply_apart(const BrgemmShape& shape,
                                                                             const BrgemmCall& call, void* scratch) {
    multiply(shape, call, scratch);
  }
};

}  // namespace brickwork
