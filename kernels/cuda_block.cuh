// A CUDA thread block as the team of brgemm_portable.
#pragma once

namespace brickwork {

struct CudaBlock {
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ void barrier() const { __syncthreads(); }
};

}  // namespace brickwork
