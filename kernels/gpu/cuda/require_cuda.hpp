// Turns the error of a CUDA call into an exception.
#pragma once
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace brickwork {

// Throws std::runtime_error with CUDA's message if the call failed.
inline void require_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error if possible, so that no later call is blamed for it
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace brickwork
