// The brick on wgmma, on a device that has it: as exact as on the host.
#include <gtest/gtest.h>

#include "kernels/gpu/cuda/device_canary.cuh"
#include "kernels/gpu/mma/mma_tiles.hpp"
#include "kernels/gpu/wgmma/cuda_warpgroups.cuh"
#include "kernels/testing/brgemm_check.hpp"
#include "kernels/testing/brgemm_on_device.cuh"

namespace brickwork {
namespace {

class Warpgroups : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!IsSkipped() && device_canary().arch != 900) GTEST_SKIP() << "wgmma is of sm_90 alone";
  }
};

template <bool a_transposed>
void check_warpgroups() {
  for (BatchKind kind : {BatchKind::strides, BatchKind::offsets})
    for (int m : {1, 16, 77, 128, 200})
      for (int n : {1, 8, 64, 200, 256})
        for (int k : {1, 24, 64, 71, 128})
          for (const LastStep& last : kLastSteps) {
            const bool epilogue = last.activation != Activation::none;
            const BrgemmCase test{
                .shape = padded_shape(m, n, k, m % 2 + n % 2 + k % 2 == 0 ? 0 : 1, m % 2, kind, a_transposed),
                .batch = m % 4,
                .rows = epilogue ? m / 2 : -1,
                .bias = epilogue,
                .residual = epilogue,
                .last = last};
            ASSERT_EQ(check_brgemm(tile_kernel<WidestWgmmaTile<a_transposed>, CudaWarpgroups>(test.shape), test), "")
                << to_string(test);
            ASSERT_EQ(check_brgemm(tile_kernel<WideWgmmaTile<a_transposed>, CudaWarpgroups>(test.shape), test), "")
                << to_string(test);
            ASSERT_EQ(check_brgemm(tile_kernel<NarrowWgmmaTile<a_transposed>, CudaWarpgroups>(test.shape), test), "")
                << to_string(test);
          }
}

TEST_F(Warpgroups, AreExact) { check_warpgroups<false>(); }
TEST_F(Warpgroups, AreExactWithATransposed) { check_warpgroups<true>(); }

}  // namespace
}  // namespace brickwork
