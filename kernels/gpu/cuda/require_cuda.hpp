// What CUDA says of a call.
#pragma once
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace brickwork {

// Throws std::runtime_error with CUDA's words where it failed.
inline void require_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // what can be forgotten is, and no later call is blamed for it
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace brickwork
