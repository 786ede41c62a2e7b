#ifdef BRICKWORK_HAS_CUDA_RUNTIME
#include "kernels/gpu/cuda/cuda_memory.hpp"

#include <fmt/format.h>

#include "kernels/gpu/cuda/require_cuda.hpp"

namespace brickwork::cuda_memory {

void* allocate(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t left = 0, all = 0;
    require_cuda(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
    const auto gigabytes = [](std::size_t size) { return 1e-9 * static_cast<double>(size); };
    throw OutOfCudaMemory(
        fmt::format("a tensor of {:.3f} GB does not fit: {:.3f} GB of the device's {:.3f} GB are free",
                    gigabytes(bytes), gigabytes(left), gigabytes(all)));
  }
  require_cuda(status, "cudaMalloc");
  return data;
}

void release(void* device) noexcept { cudaFree(device); }

void copy_there(void* device, const void* host, std::size_t bytes) {
  constexpr const char* what = "a copy to the device failed";
  require_cuda(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), what);
  require_cuda(cudaDeviceSynchronize(), what);  // the last part of pageable memory may still be on its way
}

void copy_back(void* host, const void* device, std::size_t bytes) {
  require_cuda(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "a copy from the device failed");
}

void fill(void* device, unsigned char byte, std::size_t bytes) {
  require_cuda(cudaMemset(device, byte, bytes), "cudaMemset");
  require_cuda(cudaDeviceSynchronize(), "cudaMemset");
}

}  // namespace brickwork::cuda_memory
#endif
