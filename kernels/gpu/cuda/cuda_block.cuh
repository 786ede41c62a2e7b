// A CUDA thread block as the team of brgemm_portable.
#pragma once

namespace brickwork {

struct CudaBlock {
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ void barrier() const { __syncthreads(); }

  // One S for the whole block; each type has its own memory. It is uninitialised at first.
  template <class S>
  __device__ S& shared() const {
    __shared__ alignas(S) unsigned char place[sizeof(S)];
    return *reinterpret_cast<S*>(place);
  }
};

}  // namespace brickwork
