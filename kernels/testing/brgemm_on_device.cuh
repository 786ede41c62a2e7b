// Runs a GPU's brick for the checks of the host: copies operands to the device as T, and C back.
#pragma once
#include <gtest/gtest.h>

#include <span>

#include "kernels/brgemm/brgemm.hpp"
#include "kernels/gpu/cuda/cuda_absent.hpp"
#include "kernels/gpu/cuda/cuda_memory.hpp"
#include "kernels/gpu/cuda/require_cuda.hpp"
#include "kernels/gpu/mma/mma_tiles.hpp"
#include "kernels/testing/member_copies.hpp"

namespace brickwork {

// Calls launch(shape, call) with operands on the device.
template <class T, class Launch>
class DeviceKernel final : public BrgemmKernel {
 public:
  DeviceKernel(const BrgemmShape& shape, Launch launch) : BrgemmKernel(shape), launch_(launch) {}
  std::string_view isa() const override { return "cuda"; }

 private:
  void run(const BrgemmCall& host) const override {
    const BrgemmShape& s = shape();
    const int rows = rows_of(host);
    const MemberCopies<T> members(s, rows, host.batch);
    const CudaMemory<T> a(members.a), b(members.b);
    const auto of_a = members.list_a(), of_b = members.list_b();
    const CudaMemory<std::uint64_t> at_a(of_a), at_b(of_b);

    BrgemmCall call = host;
    call.batch = members.batch(a.data(), b.data(), at_a.data(), at_b.data());
    const auto* host_residual = static_cast<const float*>(host.epilogue.residual);
    const auto* host_at = static_cast<const float*>(host.epilogue.at);
    const auto there = [](const float* from, std::int64_t size) {
      return CudaMemory<float>(std::span(from, from == nullptr ? 0 : static_cast<std::size_t>(size)));
    };
    const CudaMemory<float> c = there(static_cast<float*>(host.c), extent_of(rows, s.ldc, s.n)),
                            bias = there(host.epilogue.bias, s.n),
                            residual = there(host_residual, extent_of(rows, host.epilogue.ldr, s.n)),
                            where = there(host_at, extent_of(rows, host.epilogue.ldat, s.n));
    call.c = c.data(), call.epilogue.bias = bias.data();
    call.epilogue.residual = residual.data(), call.epilogue.at = where.data();

    launch_(s, call);
    require_cuda(cudaGetLastError(), "the brick");
    c.copy_to(static_cast<float*>(host.c));
  }

  Launch launch_;
};

template <class T, class Launch>
DeviceKernel<T, Launch> device_kernel(const BrgemmShape& shape, Launch launch) {
  return {shape, launch};
}

// A tile of mma_tiles.hpp, run by one block.
template <class Tile, class Block>
__global__ void __launch_bounds__(Tile::kThreads) tile_on_device(BrgemmShape shape, BrgemmCall call) {
  extern __shared__ __align__(1024) unsigned char stages[];
  Block block(stages);
  brgemm_by_block<Tile, float>(block, shape, call);
}

template <class Tile, class Block>
auto tile_kernel(const BrgemmShape& shape) {
  return device_kernel<typename Tile::Element>(shape, [](const BrgemmShape& s, const BrgemmCall& call) {
    const auto kernel = tile_on_device<Tile, Block>;
    require_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kScratch),
                 "shared memory");
    kernel<<<1, Tile::kThreads, Tile::kScratch>>>(s, call);
  });
}

// Skips with the reason if there is no GPU.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = cuda_absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace brickwork
