// Where there is a GPU, recurrent layers run there; elsewhere these tests skip and say why.
#include <gtest/gtest.h>

#include "rnn/rnn_on_cuda.hpp"
#include "rnn/testing/rnn_check.hpp"
#include "testing/cuda_settings.hpp"

namespace brickwork {
namespace {

using RnnOnCudaSetting = OnCudaSettings;

TEST_P(RnnOnCudaSetting, IsRightOfEveryCellAndDirection) {
  const double coarser = GetParam().brick == CudaBrick::tensor_cores ? 1000 : 1;  // TF32 has 11 bits
  for (const char* cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const char* rest : {"T3 N3 C20 K33 L2 bidirectional unequal", "T4 N50 C17 K80 reverse", "T5 N40 C130 K200"}) {
      const auto p = parse_problem<RnnProblem>(fmt::format("{} {}", rest, cell));
      EXPECT_EQ(wrong_rnn(p, plan_rnn_on_gpu(p, 132), RnnOnCuda(GetParam()), coarser, cuda_finish), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Setting, RnnOnCudaSetting, testing::ValuesIn(cuda_settings_of_f32()), name_of_cuda_setting);

TEST(RnnOnWarpgroups, AreRefused) {
  const auto p = parse_problem<RnnProblem>("T2 N3 C4 K5");
  RnnForwardGeometry g;
  EXPECT_EQ(RnnOnCuda({.brick = CudaBrick::warpgroups}).forward(g).status(), Status::unsupported);
}

}  // namespace
}  // namespace brickwork
