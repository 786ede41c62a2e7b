// Bricks that a CUDA block of warps computes (mma.sync, wgmma, multiply-adds), with the interface that drivers' bodies
// call; tile_brick.hpp has the other bricks.
#pragma once
#include "kernels/base/host_device.hpp"
#include "kernels/gpu/mma/mma_tiles.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/nest/team_shared.hpp"

namespace brickwork {

// C has elements of TC; A and B have the tile's types. Block is the block of warps that brgemm_mma.hpp asks for, made
// from a task's scratch. A team has Tile::kThreads threads.
template <class Tile, class TC, class Block>
struct BlockBrick {
  BrgemmShape shape;

  std::int64_t scratch_bytes() const { return Tile::kScratch; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, int beta, const BrgemmCall& call, void* scratch) const {
    if constexpr (Tile::kInlined) {
      BrgemmShape with_beta = shape;  // the members of `shape` are kernel arguments
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
  // For mma.sync only: if it were inlined, the surrounding loops would take registers from its sums. The others are
  // inlined: a call would end the pipeline of wgmma's asynchronous products, and it made an LSTM step with
  // multiply-adds take 1.4 to 1.7 times as long (H100).
  BRICKWORK_HOST_DEVICE BRICKWORK_DEVICE_NOINLINE static void multiply_apart(const BrgemmShape& shape,
                                                                             const BrgemmCall& call, void* scratch) {
    multiply(shape, call, scratch);
  }
};

}  // namespace brickwork
