#include "kernels/gpu/cuda/cuda_absent.hpp"

#include <fmt/format.h>

#ifdef BRICKWORK_HAS_CUDA_RUNTIME
#include <cuda_runtime_api.h>
#endif

namespace brickwork {

std::string cuda_version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

#ifdef BRICKWORK_HAS_CUDA_RUNTIME
std::string cuda_absent() {
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0) {
    cudaGetLastError();
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0) return "this machine has no CUDA device: it lacks NVIDIA's driver";
    if (driver < CUDART_VERSION / 1000 * 1000) {
      return fmt::format("the CUDA driver is for CUDA {}, which is older than the CUDA {} of this build",
                         cuda_version_text(driver), cuda_version_text(CUDART_VERSION));
    }
    return fmt::format("this machine has no CUDA device: {}", cudaGetErrorString(status));
  }
  if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess) {
    return fmt::format("the CUDA device is lost to this process since an earlier error: {}",
                       cudaGetErrorString(status));
  }
  return "";
}
#else
std::string cuda_absent() {
  return "built without CUDA: put its toolkit on CMAKE_PREFIX_PATH or its nvcc on PATH, and configure again";
}
#endif

}  // namespace brickwork
