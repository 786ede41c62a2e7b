// Runs a league of tasks on a CUDA stream with our own launcher. Kokkos 4.7 cannot: it gives a team at most 48 KiB of
// shared memory, and tensor maps cannot be read from where it puts the functor.
#pragma once
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "kernels/gpu/cuda/cuda_block.cuh"
#include "kernels/gpu/cuda/require_cuda.hpp"

namespace brickwork {

struct CudaStream {
  cudaStream_t stream = nullptr;
};
// A stream for kernels with launch bounds: `threads` per block, and registers for at least `blocks` blocks per
// multiprocessor.
template <int threads, int blocks>
struct BoundedCudaStream {
  cudaStream_t stream = nullptr;
};

template <class Functor>
__device__ void run_task(const Functor& functor, bool with_scratch) {
  extern __shared__ __align__(1024) unsigned char scratch[];
  functor(CudaBlock{}, std::int64_t{blockIdx.x}, with_scratch ? static_cast<void*>(scratch) : nullptr);
}
template <class Functor>
__global__ void league_kernel(const __grid_constant__ Functor functor, bool with_scratch) {
  run_task(functor, with_scratch);
}
template <int threads, int blocks, class Functor>
__global__ void __launch_bounds__(threads, blocks)
    league_kernel(const __grid_constant__ Functor functor, bool with_scratch) {
  run_task(functor, with_scratch);
}

// Calls functor(team, task, scratch) for the tasks 0 .. tasks - 1, each on a block of `team_size` threads with
// `scratch_bytes` of shared memory. Returns before the tasks are done. Throws std::runtime_error if CUDA refuses the
// launch.
template <class Functor>
void launch_league(cudaStream_t stream, void (*kernel)(Functor, bool), std::int64_t tasks, int team_size,
                   std::int64_t scratch_bytes, const Functor& functor) {
  // The 48 KiB of shared memory that a kernel has without opting in, less 2 KiB for TeamShared.
  constexpr std::int64_t kUnasked = 46 << 10;
  if (tasks > std::numeric_limits<int>::max()) throw std::runtime_error("league: at most 2^31 - 1 tasks are possible");
  if (scratch_bytes > kUnasked) {
    require_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch_bytes)),
        "league");
  }
  kernel<<<static_cast<unsigned>(tasks), static_cast<unsigned>(team_size), static_cast<std::size_t>(scratch_bytes),
           stream>>>(functor, scratch_bytes > 0);
  require_cuda(cudaGetLastError(), "league");
}
// A barrier for all blocks of a launch, which run at the same time.
struct GridBarrier {
  __device__ void operator()() const { cooperative_groups::this_grid().sync(); }
};

template <class Functor>
__global__ void one_launch_kernel(const __grid_constant__ Functor functor, bool with_scratch) {
  extern __shared__ __align__(1024) unsigned char scratch[];
  functor(CudaBlock{}, std::int64_t{blockIdx.x}, std::int64_t{gridDim.x}, GridBarrier{},
          with_scratch ? static_cast<void*>(scratch) : nullptr);
}

// Calls functor(team, share, shares, meet, scratch) once on each of `shares` blocks that run at the same time; meet()
// returns when all blocks have called it. Throws std::runtime_error if the device cannot run so many blocks at a time.
template <class Functor>
void in_one_launch(const CudaStream& space, std::int64_t shares, int team_size, std::int64_t scratch_bytes,
                   const Functor& functor) {
  void (*const kernel)(Functor, bool) = one_launch_kernel<Functor>;
  bool with_scratch = scratch_bytes > 0;
  void* arguments[] = {const_cast<Functor*>(&functor), &with_scratch};
  require_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch_bytes)),
      "one launch");
  require_cuda(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(shares)),
                                           dim3(static_cast<unsigned>(team_size)), arguments,
                                           static_cast<std::size_t>(scratch_bytes), space.stream),
               "one launch");
}

template <class Functor>
void parallel_league(const CudaStream& space, std::int64_t tasks, int team_size, std::int64_t scratch_bytes,
                     const Functor& functor) {
  launch_league<Functor>(space.stream, league_kernel<Functor>, tasks, team_size, scratch_bytes, functor);
}
template <int threads, int blocks, class Functor>
void parallel_league(const BoundedCudaStream<threads, blocks>& space, std::int64_t tasks, int team_size,
                     std::int64_t scratch_bytes, const Functor& functor) {
  launch_league<Functor>(space.stream, league_kernel<threads, blocks, Functor>, tasks, team_size, scratch_bytes,
                         functor);
}

}  // namespace brickwork
