// Our bricks on a GPU with each way to launch them: the part that all contenders around them share.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "baselines/contender/contender.hpp"
#include "baselines/contender/cuda_device.hpp"
#include "baselines/contender/precision.hpp"
#include "build_info.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/bricks/cuda_setting.hpp"

namespace brickwork {

struct GpuBrick {
  const char* name;
  CudaSetting setting;
  std::vector<Precision> precisions;
};

// Comparing them shows the price of portability: Kokkos' teams, our launcher, bricks for one kind of GPU.
inline std::vector<GpuBrick> gpu_bricks(Precision precision) {
  std::vector<GpuBrick> bricks{
      {"brickwork-wgmma", {.brick = CudaBrick::warpgroups}, {Precision::bf16}},
      {"brickwork-mma", {.brick = CudaBrick::tensor_cores}, {Precision::tf32, Precision::bf16}},
      {"brickwork-fma", {.brick = CudaBrick::multiply_adds}, {Precision::f32}},
      {"brickwork-portable", {.brick = CudaBrick::staged}, {Precision::f32, Precision::bf16}},
      {"brickwork-portable-kokkos",
       {.path = CudaPath::kokkos, .brick = CudaBrick::staged},
       {Precision::f32, Precision::bf16}}};
  std::erase_if(bricks, [&](const GpuBrick& brick) { return std::ranges::count(brick.precisions, precision) == 0; });
  return bricks;
}

// Has a name and a library; the caller sets `prepare`.
template <Operation Op>
Contender<Op> gpu_contender(const GpuBrick& brick) {
#ifdef BRICKWORK_HAS_CUDA
  const std::string absent = cuda_absent_reason(brick.setting.path, brick.setting.brick);
#else
  const std::string absent = "built without CUDA: put its nvcc on PATH, and configure anew";
#endif
  return {.name = brick.name,
          .library = {std::string(to_string(brick.setting.brick)), std::string(build_info::version), absent},
          .ours = true,
          .device = "cuda"};
}

#ifdef BRICKWORK_HAS_CUDA
// A blocked tensor on the device, 0 where nothing is packed. Its blocks are packed on the host in f32.
template <class T>
class GpuTensor {
 public:
  explicit GpuTensor(std::int64_t size)
      : blocks_(size), elements_(static_cast<std::size_t>(size)), device_(elements_.size()) {}

  T* data() const { return device_.data(); }

  // pack(blocks) fills them; unpack(blocks) reads them.
  template <class Pack>
  void pack(const Pack& pack) {
    if (elements_.empty()) return;
    pack(blocks_.data());
    std::ranges::transform(blocks_, elements_.begin(), [](float value) { return static_cast<T>(value); });
    device_.copy_from(elements_.data());
  }
  template <class Unpack>
  void unpack(const Unpack& unpack) {
    device_.copy_to(elements_.data());
    std::ranges::transform(elements_, blocks_.begin(), [](T value) { return static_cast<float>(value); });
    unpack(blocks_.data());
  }
  void forget() { device_.fill_with_nan(); }

 private:
  AlignedBuffer<float> blocks_;
  std::vector<T> elements_;
  CudaMemory<T> device_;
};

// Kokkos::Cuda has a stream of its own.
inline cuda::Queue& queue_of(CudaPath path) {
  if (path == CudaPath::launcher) return cuda::queue();
  static cuda::Queue of_kokkos(static_cast<CUstream_st*>(cuda_stream_of_kokkos()));
  return of_kokkos;
}

// Base class of a prepared contender: gives its rows the implementation, plan and isa.
class PreparedOnGpu : public Prepared {
 public:
  PreparedOnGpu(const PlainTensors& plain, const CudaSetting& setting, std::string plan)
      : plain_(plain), setting_(setting), plan_(std::move(plan)) {
    setting_.stream = queue_of(setting_.path).stream();
  }

  DeviceQueue* queue() override { return &queue_of(setting_.path); }
  std::string implementation() const override {
    return fmt::format("brgemm loops, {} brick, {}", to_string(setting_.brick), to_string(setting_.path));
  }
  std::string plan() const override { return plan_; }
  std::string isa() const override { return isa_; }

 protected:
  const PlainTensors& plain_;
  CudaSetting setting_;

 private:
  std::string plan_, isa_ = cuda_isa();
};

#endif

}  // namespace brickwork
