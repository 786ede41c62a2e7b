// Tells which path of the device code really runs: a device may run code compiled for another architecture, and a
// kernel without a body passes silently.
#pragma once
#include "kernels/gpu/cuda/cuda_memory.hpp"
#include "kernels/gpu/cuda/require_cuda.hpp"

namespace brickwork {

struct DeviceCanary {
  int arch = 0;               // __CUDA_ARCH__ of the code that ran: 900 for sm_90; 0 if nothing ran
  bool tensor_cores = false;  // whether the tensor-core instructions of brgemm_mma.hpp were compiled
};

template <class Canary>
__global__ void sing(Canary* canary) {
#ifdef __CUDA_ARCH__
  *canary = {__CUDA_ARCH__, __CUDA_ARCH__ >= 800};
#endif
}

// Asks the device. Throws std::runtime_error if it cannot answer, for example to code for another architecture.
inline DeviceCanary device_canary() {
  DeviceCanary canary;
  const CudaMemory<DeviceCanary> on_device(1);
  sing<<<1, 1>>>(on_device.data());
  require_cuda(cudaGetLastError(), "canary");
  on_device.copy_to(&canary);
  return canary;
}

}  // namespace brickwork
