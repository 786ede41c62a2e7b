// A league of brick calls on a GPU.
#pragma once
#include "kernels/base/bf16.hpp"
#include "primitives/brgemm/brgemm_league.hpp"
#include "primitives/bricks/cuda_setting.hpp"

namespace brickwork {

// Pointers are to device memory. Launches the work into the setting's stream and does not wait for it. Throws
// std::invalid_argument if the setting cannot run the calls, and std::runtime_error if CUDA refuses the launch.
// Instances: f32, which tensor cores multiply as TF32, and bf16.
template <class T>
void brgemm_league_on_cuda(const BrgemmLeague<T, T>&, const CudaSetting&);

// Does this for CudaBrick::warpgroups; brgemm_league_on_cuda() calls it.
void brgemm_league_on_hopper(const BrgemmLeague<bf16, bf16>&, const CudaSetting&);

}  // namespace brickwork
