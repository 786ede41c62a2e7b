// A league of the brick's calls on a GPU.
#pragma once
#include "kernels/base/bf16.hpp"
#include "primitives/brgemm/brgemm_league.hpp"
#include "primitives/bricks/cuda_setting.hpp"

namespace brickwork {

// Pointers are to the device's memory; the work goes into the stream and is not waited for. Throws
// std::invalid_argument where the setting cannot run the calls, and std::runtime_error where CUDA refuses the launch.
// Instances: of f32, which tensor cores multiply as TF32, and of bf16.
template <class T>
void brgemm_league_on_cuda(const BrgemmLeague<T, T>&, const CudaSetting&);

// The same with the setting's warpgroups, which the above leaves to this.
void brgemm_league_on_hopper(const BrgemmLeague<bf16, bf16>&, const CudaSetting&);

}  // namespace brickwork
