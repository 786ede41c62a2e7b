#include "primitives/softmax_loss/op/softmax_loss_ops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "primitives/op/test_data.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

template <class Op>
std::vector<double> result_of(const SoftmaxLossProblem& p, const std::vector<double>& logits,
                              const std::vector<double>& labels) {
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  std::ranges::copy(logits, in.values<double>(0).begin());
  std::ranges::copy(labels, in.values<double>(1).begin());
  Op::reference(p, in, out);
  const auto values = out.values<double>(0);
  return {values.begin(), values.end()};
}

TEST(SoftmaxLossOps, LossIsTheMeanOfTheLogarithms) {
  const auto p = parse_problem<SoftmaxLossProblem>("N2 C2");
  // The probabilities are 1/4 and 3/4 in row 0, 1/2 and 1/2 in row 1.
  const auto loss = result_of<SoftmaxLossForwardOp>(p, {0, std::log(3.0), 5, 5}, {0, 1});
  EXPECT_NEAR(loss[0], (std::log(4.0) + std::log(2.0)) / 2, 1e-12);
}

TEST(SoftmaxLossOps, GradientIsSoftmaxMinusTheRightClass) {
  const auto p = parse_problem<SoftmaxLossProblem>("N2 C2");
  const auto gradient = result_of<SoftmaxLossBackwardOp>(p, {0, std::log(3.0), 5, 5}, {0, 1});
  const double right[] = {-0.75 / 2, 0.75 / 2, 0.5 / 2, -0.5 / 2};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(gradient[i], right[i], 1e-12);
}

TEST(SoftmaxLossOps, GradientIsTheSlopeOfTheLoss) {
  const auto p = parse_problem<SoftmaxLossProblem>("N2 C3");
  std::vector<double> logits{0.5, -1, 2, 3, 0, 1};
  const auto gradient = result_of<SoftmaxLossBackwardOp>(p, logits, {2, 1});
  for (std::size_t i = 0; i < logits.size(); ++i) {
    constexpr double kStep = 1e-5;
    auto more = logits, less = logits;
    more[i] += kStep;
    less[i] -= kStep;
    const double slope =
        (result_of<SoftmaxLossForwardOp>(p, more, {2, 1})[0] - result_of<SoftmaxLossForwardOp>(p, less, {2, 1})[0]) /
        (2 * kStep);
    EXPECT_NEAR(gradient[i], slope, 1e-8);
  }
}

TEST(SoftmaxLossOps, LargeLogitsOverflowNothing) {
  const auto p = parse_problem<SoftmaxLossProblem>("C2");
  EXPECT_NEAR(result_of<SoftmaxLossForwardOp>(p, {1e5, 1e5}, {0})[0], std::log(2.0), 1e-9);
}

TEST(SoftmaxLossOps, TestDataHasLegalLabelsOfEveryClass) {
  const auto p = parse_problem<SoftmaxLossProblem>("N500 C5");
  const TestData data = make_checkable_test_data<SoftmaxLossBackwardOp>(p, Fill::integers);
  std::vector<int> seen(5);
  for (const std::int32_t label : data.inputs.values<std::int32_t>(1)) {
    ASSERT_TRUE(label >= 0 && label < 5) << label;
    ++seen[static_cast<std::size_t>(label)];
  }
  EXPECT_GT(std::ranges::min(seen), 0);
  EXPECT_GT(std::ranges::max(data.inputs.values<float>(0)), 4);
}

TEST(SoftmaxLossOps, MoveLogitsAndLabelsAndTheGradient) {
  const auto p = parse_problem<SoftmaxLossProblem>("N3 C5");
  EXPECT_EQ(bytes_of<SoftmaxLossForwardOp>(p), 4 * (3 * 5 + 3 + 1));
  EXPECT_EQ(bytes_of<SoftmaxLossBackwardOp>(p), 4 * (3 * 5 + 3 + 3 * 5));
}

TEST(SoftmaxLossProblem, TextFormRoundTripsAndWrongTextIsRefused) {
  EXPECT_EQ(to_string(parse_problem<SoftmaxLossProblem>("C1000 N256")), "N256_C1000");
  EXPECT_EQ(error_of<SoftmaxLossProblem>("N4"), "'N4' lacks C: add a word such as C64");
  EXPECT_EQ(error_of<SoftmaxLossProblem>("C0"), "C is 0: it must be from 1 to 2^30");
}

}  // namespace
}  // namespace brickwork
