// Which path of the device code really runs: an architecture that was not compiled for may take another one's, and a
// kernel whose body was left out passes in silence.
#pragma once
#include "kernels/gpu/cuda/cuda_memory.hpp"
#include "kernels/gpu/cuda/require_cuda.hpp"

namespace brickwork {

struct DeviceCanary {
  int arch = 0;               // as __CUDA_ARCH__ has it: 900 of sm_90; 0 where nothing ran
  bool tensor_cores = false;  // whether the brick of brgemm_mma.hpp was compiled with its instructions
};

template <class Canary>
__global__ void sing(Canary* canary) {
#ifdef __CUDA_ARCH__
  *canary = {__CUDA_ARCH__, __CUDA_ARCH__ >= 800};
#endif
}

// Asks the device. Throws std::runtime_error where it cannot be asked, as of code for another architecture.
inline DeviceCanary device_canary() {
  DeviceCanary canary;
  const CudaMemory<DeviceCanary> on_device(1);
  sing<<<1, 1>>>(on_device.data());
  require_cuda(cudaGetLastError(), "canary");
  on_device.copy_to(&canary);
  return canary;
}

}  // namespace brickwork
