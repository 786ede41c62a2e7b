#include "primitives/brgemm/brgemm_league_on_cuda.hpp"
#include "primitives/bricks/bricks_on_hopper.cuh"

namespace brickwork {

void brgemm_league_on_hopper(const BrgemmLeague<bf16, bf16>& league, const CudaSetting& setting) {
  with_warpgroups<bf16, false>(league.call, setting, [&](const auto& space, const auto& brick, int threads) {
    run_brgemm_league(space, brick, threads, league);
  });
}

}  // namespace brickwork
