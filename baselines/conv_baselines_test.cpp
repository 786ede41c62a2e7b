#include "baselines/conv_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/testing/conv_exact.hpp"

namespace brickwork {
namespace {

class ConvBaseline : public testing::TestWithParam<Contender<ConvForwardOp>> {
 protected:
  const Contender<ConvForwardOp>& contender = GetParam();
};

TEST_P(ConvBaseline, IsExact) { expect_exact_on(contender, kConvProblems, Refusal::wrong); }
TEST_P(ConvBaseline, IsExactOnRandomProblems) { expect_exact_on_random_problems(contender, random_baseline_conv); }
TEST_P(ConvBaseline, SaysWhatItIs) { expect_says_what_it_is(contender, "C16 K16 H4"); }

TEST_P(ConvBaseline, IsExactWithEveryEpilogueOrRefusesIt) {
  expect_exact_or_refused(contender, {"bias", "residual", "relu", "bias+relu", "bias+residual", "residual+relu",
                                      "bias+residual+relu", "sigmoid", "bias+tanh", "residual+gelu"});
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvBaseline);
INSTANTIATE_TEST_SUITE_P(Libraries, ConvBaseline,
                         testing::ValuesIn(present<ConvForwardOp>({onednn_conv(), libxsmm_dnn_conv(), im2col_conv(),
                                                                   small_gemm_conv()})),
                         name_in_tests<ConvForwardOp>);

TEST(IsExact, SeesAContenderThatWritesNothing) {
  struct Untouched final : Prepared {
    void pack() override {}
    void run() override {}
    void unpack(PlainTensors&) override {}
  };
  const Contender<ConvForwardOp> wrong{
      .name = "wrong",
      .library = {"none", "0"},
      .prepare = [](const ConvProblem&, const PlainTensors&, const Resources&) -> Result<PreparedPtr> {
        return {std::make_unique<Untouched>()};
      }};
  const auto p = parse_problem<ConvProblem>("C2 K2 H2");
  EXPECT_FALSE(is_exact(wrong, p, make_checkable_test_data<ConvForwardOp>(p, Fill::integers), 1));
}

}  // namespace
}  // namespace brickwork
