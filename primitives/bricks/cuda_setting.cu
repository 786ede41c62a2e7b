#include <cuda_runtime.h>

#include "kernels/gpu/cuda/cuda_absent.hpp"
#include "kernels/gpu/cuda/device_canary.cuh"
#include "kernels/gpu/cuda/require_cuda.hpp"
#include "primitives/bricks/cuda_setting.hpp"
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
#include <Kokkos_Core.hpp>
#endif

namespace brickwork {

std::string cuda_absent_reason(CudaPath path, CudaBrick brick) {
#ifndef BRICKWORK_KOKKOS_HAS_CUDA
  if (path == CudaPath::kokkos) return "this Kokkos was built without CUDA";
#endif
  if (path == CudaPath::kokkos && brick >= CudaBrick::multiply_adds) {
    return "Kokkos gives a team 48 KiB of shared memory, which is too little for this brick";
  }
  if (std::string why = cuda_absent(); !why.empty()) return why;
  try {
    if (brick >= CudaBrick::multiply_adds && !device_canary().tensor_cores) {
      return "this brick needs a device of compute capability 8.0 or higher";
    }
    if (brick == CudaBrick::warpgroups && device_canary().arch != 900) {
      return "the brick of warpgroups needs a device of compute capability 9.0, as only that has wgmma";
    }
  } catch (const std::runtime_error& e) {
    return std::string("the device does not run this build's code: ") + e.what();
  }
  return "";
}

std::string cuda_isa() {
  const DeviceCanary canary = device_canary();
  return "sm_" + std::to_string(canary.arch / 10) + (canary.tensor_cores ? ", tensor cores" : "");
}

void* cuda_stream_of_kokkos() {
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
  return Kokkos::Cuda().cuda_stream();
#else
  return nullptr;
#endif
}

void cuda_finish() { require_cuda(cudaDeviceSynchronize(), "the device"); }

}  // namespace brickwork
