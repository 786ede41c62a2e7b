// Which path of the device code really runs: an architecture that was not compiled for may take another one's, and a
// kernel whose body was left out passes in silence.
#pragma once
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

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
  const auto require = [](cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(std::string("canary: ") + cudaGetErrorString(status));
  };
  DeviceCanary canary, *on_device = nullptr;
  require(cudaMalloc(&on_device, sizeof(canary)));
  sing<<<1, 1>>>(on_device);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t copied = cudaMemcpy(&canary, on_device, sizeof(canary), cudaMemcpyDeviceToHost);
  require(cudaFree(on_device));
  require(launched);
  require(copied);
  return canary;
}

}  // namespace brickwork
