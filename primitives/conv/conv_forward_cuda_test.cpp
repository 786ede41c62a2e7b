// Where there is a GPU, the body of the convolution runs there; elsewhere these tests skip.
#include <gtest/gtest.h>

#include "conv/testing/conv_forward_check.hpp"
#include "conv/testing/conv_forward_on_cuda.hpp"

namespace brickwork {
namespace {

// Why the result is wrong, or nothing.
std::string wrong(CudaPath path, const ConvProblem& p, const ConvPlan& plan, bool staged, const TestData& t) {
  const auto blocking = ConvForwardBlocking::make(p, plan);
  if (!blocking) return blocking.reason();
  BlockedConvForward tensors(blocking->src_layout(), blocking->weights_layout(), blocking->dst_layout(), t.inputs);
  const ConvForwardOnHost host{
      .nest = blocking->nest(),
      .geometry = blocking->geometry(),
      .brick = blocking->brick_shape(0),
      .src = tensors.src,
      .weights = tensors.weights,
      .bias = p.epilogue.bias ? std::span<const float>(tensors.bias) : std::span<const float>(),
      .residual = p.epilogue.residual ? std::span<const float>(tensors.residual) : std::span<const float>(),
      .src_offsets = blocking->src_offsets(),
      .weights_offsets = blocking->weights_offsets(),
      .dst = tensors.dst};
  run_on_cuda(host, path, 64, staged);
  return tensors.wrong(p, t);
}

class ConvForwardOnCuda : public testing::TestWithParam<CudaPath> {
 protected:
  void SetUp() override {
    if (const auto reason = cuda_absent_reason(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(ConvForwardOnCuda, IsExact) {
  for (const char* text : {"N2 C20 K40 H9 R3 ph1 bias+residual+relu", "N1 C3 K64 H20 R7 sh2 ph3", "N2 C64 K64 H7",
                           "N1 C64 K64 H3 W300 R3 ph1 relu", "N1 C130 K67 H9 W5 R3 sh2"}) {
    const auto p = parse_problem<ConvProblem>(text);
    const TestData t = conv_forward_test_data(p);
    ConvPlan plan = plan_conv_forward(p, {.threads = 132}, Backend::portable);
    for (const char* loops : {"", "{n kb oj} oi cb:3", "cb:2 {n kb oj oi}", "n kb oj oi cb"}) {
      if (*loops != '\0') plan.loops = parse_loop_schedule(loops);
      for (bool staged : {false, true}) {
        EXPECT_EQ(wrong(GetParam(), p, plan, staged, t), "") << text << "  " << to_string(plan);
      }
    }
  }
  const auto strided = parse_problem<ConvProblem>("N3 C20 K40 H9 sh2");
  const auto gathered = parse_conv_plan("bc=10 bk=20 bq=8 flat src=gathered loops={n oi} kb cb");
  EXPECT_EQ(wrong(GetParam(), strided, gathered, true, conv_forward_test_data(strided)), "");
}

TEST_P(ConvForwardOnCuda, AWrongConvolutionIsSeen) {
  const auto p = parse_problem<ConvProblem>("N2 C12 K20 H6 R3 ph1 bias");
  ConvProblem other = p;
  other.epilogue = {.activation = Activation::relu};
  const ConvPlan plan = plan_conv_forward(p, {.threads = 132}, Backend::portable);
  EXPECT_NE(wrong(GetParam(), other, plan, true, conv_forward_test_data(p)), "");
}

INSTANTIATE_TEST_SUITE_P(Path, ConvForwardOnCuda, testing::Values(CudaPath::launcher, CudaPath::kokkos),
                         [](const auto& path) { return path.param == CudaPath::kokkos ? "Kokkos" : "Launcher"; });

}  // namespace
}  // namespace brickwork
