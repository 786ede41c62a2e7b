// A league of brick calls, one call per task, without loops around the brick. It measures the brick's own speed on a
// machine that a single call cannot fill.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/batch.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

// Operands lie in contiguous blocks: a [tasks][batch][m][k], b [batch][k][n], c [tasks][m][n].
template <class T, class TC>
struct BrgemmLeague {
  BrgemmShape call;
  std::int64_t tasks, batch;
  const T* a;
  const T* b;
  TC* c;
};

template <class Brick, class T, class TC>
struct BrgemmLeagueBody {
  BrgemmLeague<T, TC> league;
  Brick brick;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    constexpr std::int64_t bytes = sizeof(T);
    const BrgemmShape& shape = league.call;
    const T* const a = league.a + task * league.batch * shape.stride_a;
    const BrgemmCall call{
        .batch = Batch::strided(a, league.b, league.batch, bytes * shape.stride_a, bytes * shape.stride_b),
        .c = league.c + task * shape.m * shape.ldc};
    brick(team, 0, call, scratch);
  }
};

template <class T, class TC, class Space, class Brick>
void run_brgemm_league(const Space& space, const Brick& brick, int threads, const BrgemmLeague<T, TC>& league) {
  parallel_league(space, league.tasks, threads, brick.scratch_bytes(), BrgemmLeagueBody<Brick, T, TC>{league, brick});
}

}  // namespace brickwork
