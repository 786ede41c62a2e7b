#include <cuda_runtime.h>

#include <stdexcept>
#include <type_traits>

#include "conv/testing/conv_forward_on_cuda.hpp"
#include "league_cuda.cuh"
#include "tile_brick.hpp"
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
#include "league.hpp"
#endif

namespace brickwork {
namespace {

using Body = ConvForwardBody<TeamBrick<float>>;
static_assert(std::is_trivially_copyable_v<Body>);

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// A copy on the device; null of nothing.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::span<const T> host) {
    if (host.empty()) return;
    require(cudaMalloc(&data_, host.size_bytes()));
    require(cudaMemcpy(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace

std::string cuda_absent_reason(CudaPath path) {
#ifndef BRICKWORK_KOKKOS_HAS_CUDA
  if (path == CudaPath::kokkos) return "this Kokkos has no CUDA";
#endif
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(status);
  return devices == 0 ? "no CUDA device" : "";
}

void run_on_cuda(const ConvForwardOnHost& host, CudaPath path, int threads_a_task, bool staged) {
  const OnDevice<float> src(host.src), weights(host.weights), bias(host.bias), residual(host.residual), dst(host.dst);
  const OnDevice<std::uint64_t> src_offsets(host.src_offsets), weights_offsets(host.weights_offsets);
  const Body body{host.geometry,
                  {src.data(), weights.data(), bias.data(), residual.data(), nullptr, dst.data(), src_offsets.data(),
                   weights_offsets.data()},
                  {host.brick, staged}};
  const TaskNeeds needs{.threads = threads_a_task, .scratch_bytes = body.scratch_bytes()};
  switch (path) {
    case CudaPath::launcher:
      host.nest.run(CudaStream(), body, needs);
      break;
    case CudaPath::kokkos:
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
      host.nest.run(Kokkos::Cuda(), body, needs);
#endif
      break;
  }
  require(cudaDeviceSynchronize());
  require(cudaMemcpy(host.dst.data(), dst.data(), host.dst.size_bytes(), cudaMemcpyDeviceToHost));
}

}  // namespace brickwork
