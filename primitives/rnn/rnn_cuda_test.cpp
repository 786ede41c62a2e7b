// Where there is a GPU, recurrent layers run there; elsewhere these tests skip and say why.
#include <gtest/gtest.h>

#include "rnn/rnn_on_cuda.hpp"
#include "rnn/testing/rnn_check.hpp"
#include "testing/cuda_settings.hpp"

namespace brickwork {
namespace {

using RnnOnCudaSettings = OnCudaSettings;

TEST_P(RnnOnCudaSettings, IsRightOfEveryCellAndDirection) {
  for (const char* cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const char* rest : {"T3 N3 C20 K33 L2 bidirectional unequal", "T4 N50 C17 K80 reverse", "T5 N40 C130 K200"}) {
      const auto p = parse_problem<RnnProblem>(fmt::format("{} {}", rest, cell));
      EXPECT_EQ(wrong_rnn(p, plan_rnn_on_gpu(p, 132), RnnOnCuda(GetParam()), cuda_finish), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Setting, RnnOnCudaSettings, testing::ValuesIn(portable_cuda_settings()), name_of_cuda_setting);

TEST(RnnOnCuda, TensorCoresAreRefused) {
  for (const CudaBrick brick : {CudaBrick::tensor_cores, CudaBrick::warpgroups}) {
    EXPECT_EQ(RnnOnCuda({.brick = brick}).forward({}).status(), Status::unsupported);
    EXPECT_EQ(RnnOnCuda({.brick = brick}).backward({}).status(), Status::unsupported);
  }
}

}  // namespace
}  // namespace brickwork
