#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "kernels/gpu/cuda/cuda_absent.hpp"

namespace brickwork {
namespace {

TEST(CudaDriverCalls, ReachTheDriverOrSayThatThereIsNone) {
  CUdevice device = -1;
  CUcontext context = nullptr;
  if (!cuda_absent().empty()) {
    EXPECT_NE(cuCtxGetDevice(&device), CUDA_SUCCESS);
    EXPECT_NE(cuStreamGetCtx(nullptr, &context), CUDA_SUCCESS);
    EXPECT_NE(cuCtxPushCurrent(context), CUDA_SUCCESS);
    return;
  }
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);  // makes the context
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuStreamGetCtx(nullptr, &context), CUDA_SUCCESS);
  EXPECT_NE(context, nullptr);
  EXPECT_EQ(cuCtxPushCurrent(context), CUDA_SUCCESS);
}

}  // namespace
}  // namespace brickwork
