// Tests of recurrent layers on a GPU; without one they skip and say why.
#include <gtest/gtest.h>

#include "primitives/rnn/gpu/rnn_on_cuda.hpp"
#include "primitives/rnn/testing/rnn_check.hpp"
#include "primitives/testing/cuda_settings.hpp"

namespace brickwork {
namespace {

using RnnOnCudaSettings = OnCudaSettings;

TEST_P(RnnOnCudaSettings, IsRightForEveryCellAndDirection) {
  for (const char* cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const char* rest : {"T3 N3 C20 K33 L2 bidirectional unequal", "T4 N50 C17 K80 reverse", "T5 N40 C130 K200"}) {
      const auto p = parse_problem<RnnProblem>(fmt::format("{} {}", rest, cell));
      EXPECT_EQ(wrong_rnn(p, plan_rnn_on_gpu(p, 132), RnnOnCuda(GetParam(), 132), cuda_finish), "");
    }
  }
}

// More sequences than a tile has rows.
TEST_P(RnnOnCudaSettings, IsRightForManySequences) {
  const auto p = parse_problem<RnnProblem>("T3 N170 C130 K200 unequal");
  for (const std::int64_t bn : {28, 85}) {
    RnnPlan plan = plan_rnn_on_gpu(p, 132);
    plan.bn = bn;
    EXPECT_EQ(wrong_rnn(p, plan, RnnOnCuda(GetParam(), 132), cuda_finish), "") << to_string(plan);
  }
}

INSTANTIATE_TEST_SUITE_P(Setting, RnnOnCudaSettings, testing::ValuesIn(strict_cuda_settings()), name_of_cuda_setting);

TEST(RnnOnCuda, TensorCoresAreRefused) {
  for (const CudaBrick brick : {CudaBrick::tensor_cores, CudaBrick::warpgroups}) {
    const RnnBackwardGeometry back{};
    EXPECT_EQ(RnnOnCuda({.brick = brick}, 132).passes({}, nullptr).status(), Status::unsupported);
    EXPECT_EQ(RnnOnCuda({.brick = brick}, 132).passes({}, &back).status(), Status::unsupported);
  }
}

}  // namespace
}  // namespace brickwork
