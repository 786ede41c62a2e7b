#include "primitives/brgemm/brgemm_league_on_cuda.hpp"
#include "primitives/bricks/bricks_on_cuda.cuh"

namespace brickwork {

template <class T>
void brgemm_league_on_cuda(const BrgemmLeague<T, T>& league, const CudaSetting& setting) {
  if constexpr (sizeof(T) == 2) {
    if (setting.brick == CudaBrick::warpgroups) return brgemm_league_on_hopper(league, setting);
  }
  with_brick<T, T, false>(league.call, setting, [&](const auto& space, const auto& brick, int threads) {
    run_brgemm_league(space, brick, threads, league);
  });
}

template void brgemm_league_on_cuda(const BrgemmLeague<float, float>&, const CudaSetting&);
template void brgemm_league_on_cuda(const BrgemmLeague<bf16, bf16>&, const CudaSetting&);

}  // namespace brickwork
