// The bricks of a GPU, compiled by nvcc for the host and for the device; the device's code runs if there is a GPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/epilogue/epilogue.hpp"
#include "kernels/gpu/cuda/cuda_block.cuh"
#include "kernels/gpu/cuda/cuda_warps.cuh"
#include "kernels/gpu/cuda/device_canary.cuh"
#include "kernels/gpu/fma/brgemm_staged.hpp"
#include "kernels/gpu/mma/mma_tiles.hpp"
#include "kernels/portable/brgemm_portable.hpp"
#include "kernels/testing/brgemm_check.hpp"
#include "kernels/testing/brgemm_on_device.cuh"

namespace brickwork {
namespace {

__global__ void brgemm_on_device(BrgemmShape shape, BrgemmCall call) {
  brgemm_portable<float, float>(CudaBlock(), shape, call);
}

__global__ void __launch_bounds__(256) staged_on_device(BrgemmShape shape, BrgemmCall call) {
  extern __shared__ __align__(128) unsigned char stages[];
  brgemm_staged<float, float>(CudaBlock(), shape, call, reinterpret_cast<float*>(stages));
}

__global__ void epilogue_on_device(float* c, int m, int n, std::int64_t ldc, TileEpilogue epilogue) {
  apply_epilogue_portable(c, m, n, ldc, epilogue);
}

class HostKernel final : public BrgemmKernel {
 public:
  using BrgemmKernel::BrgemmKernel;
  std::string_view isa() const override { return "nvcc, host"; }

 private:
  void run(const BrgemmCall& call) const override { brgemm_portable<float, float>(OneThread(), shape(), call); }
};

auto portable_kernel(const BrgemmShape& shape) {
  return device_kernel<float>(
      shape, [](const BrgemmShape& s, const BrgemmCall& call) { brgemm_on_device<<<1, 64>>>(s, call); });
}

auto staged_kernel(const BrgemmShape& shape) {
  return device_kernel<float>(shape, [](const BrgemmShape& s, const BrgemmCall& call) {
    staged_on_device<<<1, 64, staged_scratch<float>(s)>>>(s, call);
  });
}

template <class Make>
void check_shapes(const Make& make) {
  for (BatchKind kind : {BatchKind::strides, BatchKind::offsets})
    for (int beta : {0, 1})
      for (int m : {1, 4, 7, 50})
        for (int n : {1, 8, 19, 70})  // 50 x 70 has more register tiles than the block has threads
          for (std::int64_t batch : {0, 1, 3})
            for (const LastStep& last : kLastSteps) {
              const bool epilogue = last.activation != Activation::none;
              const bool a_transposed = (m + n + batch) % 2 != 0;
              const BrgemmCase test{.shape = padded_shape(m, n, 21, 2, beta, kind, a_transposed),
                                    .batch = batch,
                                    .rows = epilogue ? m / 2 : -1,
                                    .bias = epilogue,
                                    .residual = epilogue,
                                    .last = last};
              ASSERT_EQ(check_brgemm(make(test.shape), test), "") << to_string(test);
            }
}

using PortableOnDevice = OnDevice;
using StagedOnDevice = OnDevice;
using TensorCores = OnDevice;

TEST(PortableByNvcc, IsExactOnTheHost) {
  check_shapes([](const BrgemmShape& shape) { return HostKernel(shape); });
}

TEST_F(PortableOnDevice, IsExact) { check_shapes(portable_kernel); }

TEST_F(StagedOnDevice, IsExact) { check_shapes(staged_kernel); }

TEST_F(PortableOnDevice, AppliesTheEpilogue) {
  const std::vector<float> c{-3, 1, 2, 9, 5, -6, 7, 9}, bias{1, -2, 3}, residual{1, 1, 1, 0, 0, 0};
  const CudaMemory<float> device_c(c), device_bias(bias), device_residual(residual);
  epilogue_on_device<<<1, 1>>>(device_c.data(), 2, 3, 4,
                               {device_bias.data(), device_residual.data(), 3, Activation::relu});
  require_cuda(cudaGetLastError(), "epilogue");
  std::vector<float> result(c.size());
  device_c.copy_to(result.data());
  EXPECT_EQ(result, (std::vector<float>{0, 0, 6, 9, 6, 0, 10, 9}));
}

// An empty kernel passes no test of exactness, but one for another device might.
TEST_F(TensorCores, AreCompiledIn) {
  const DeviceCanary canary = device_canary();
  EXPECT_GE(canary.arch, 800) << "device code of an older device was compiled or chosen";
  EXPECT_TRUE(canary.tensor_cores);
}

// Checks each of Tiles.
template <bool a_transposed, class... Tiles>
void check_tiles() {
  for (BatchKind kind : {BatchKind::strides, BatchKind::offsets})
    for (int beta : {0, 1})
      for (int m : {1, 16, 77, 128, 300})
        for (int n : {1, 8, 31, 64, 200})
          for (int k : {1, 24, 32, 71})
            for (const LastStep& last : kLastSteps) {
              const bool epilogue = last.activation != Activation::none;
              const BrgemmCase test{
                  .shape = padded_shape(m, n, k, m % 2 + n % 2 + k % 2 == 0 ? 0 : 1, beta, kind, a_transposed),
                  .batch = m % 4,
                  .rows = epilogue ? m / 2 : -1,
                  .bias = epilogue,
                  .residual = epilogue,
                  .last = last};
              std::string wrong;
              ((wrong += check_brgemm(tile_kernel<Tiles, CudaWarps>(test.shape), test)), ...);
              ASSERT_EQ(wrong, "") << to_string(test);
            }
}
template <class T, bool a_transposed>
void check_tensor_cores() {
  check_tiles<a_transposed, WideMmaTile<T, a_transposed>, NarrowMmaTile<T, a_transposed>>();
}
template <bool a_transposed>
void check_multiply_adds() {
  check_tiles<a_transposed, WideFmaTile<a_transposed>, SquareFmaTile<a_transposed>, LowFmaTile<a_transposed>>();
  if constexpr (!a_transposed) check_tiles<a_transposed, MiddleFmaTile>();
}

TEST_F(TensorCores, AreExactInBf16) { check_tensor_cores<bf16, false>(); }
TEST_F(TensorCores, AreExactInBf16WithATransposed) { check_tensor_cores<bf16, true>(); }
TEST_F(TensorCores, AreExactInTf32) { check_tensor_cores<float, false>(); }
TEST_F(TensorCores, AreExactInTf32WithATransposed) { check_tensor_cores<float, true>(); }

using MultiplyAdds = OnDevice;
TEST_F(MultiplyAdds, AreExact) { check_multiply_adds<false>(); }
TEST_F(MultiplyAdds, AreExactWithATransposed) { check_multiply_adds<true>(); }

}  // namespace
}  // namespace brickwork
