#include "primitives/fc/op/fc_ops.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "primitives/op/test_data.hpp"
#include "primitives/op/testing/definition.hpp"

namespace brickwork {
namespace {

Values forward_of(const FcProblem& p, const Values& src, const Values& weights) {
  return by_definition<FcForwardOp>(p, {src, weights});
}
Values backward_of(const FcProblem& p, const Values& ddst, const Values& weights) {
  return by_definition<FcBackwardDataOp>(p, {ddst, weights});
}
Values update_of(const FcProblem& p, const Values& src, const Values& ddst) {
  return by_definition<FcWeightUpdateOp>(p, {src, ddst});
}

const Values kSrc{1, 2, 3, 4}, kWeights{10, 1, 100, -1, 5, 0}, kDdst{1, 2, 3, 4, 5, 6};  // N2 C2 K3

TEST(FcOps, MatchValuesByHand) {
  const auto p = parse_problem<FcProblem>("N2 C2 K3");
  EXPECT_EQ(forward_of(p, kSrc, kWeights), (Values{12, 98, 5, 34, 296, 15}));
  EXPECT_EQ(backward_of(p, kDdst, kWeights), (Values{10 + 200 + 15, 1 - 2, 40 + 500 + 30, 4 - 5}));
  EXPECT_EQ(update_of(p, kSrc, kDdst), (Values{1 + 12, 2 + 16, 2 + 15, 4 + 20, 3 + 18, 6 + 24}));
}

TEST(FcOps, EpilogueIsBiasThenResidualThenRelu) {
  auto p = parse_problem<FcProblem>("N2 C1 K2 bias+residual+relu");
  const Values src{1, -1}, weights{1, 2}, bias{10, -10}, residual{-20, 20, 9, 30};
  EXPECT_EQ(by_definition<FcForwardOp>(p, {src, weights, bias, residual}), (Values{0, 12, 18, 18}));
  p.epilogue = {.bias = true};
  EXPECT_EQ(by_definition<FcForwardOp>(p, {src, weights, bias}), (Values{11, -8, 9, -12}));
  p.epilogue = {.residual = true};
  EXPECT_EQ(by_definition<FcForwardOp>(p, {src, weights, {}, residual}), (Values{-19, 22, 8, 28}));
  p.epilogue = {.activation = Activation::relu};
  EXPECT_EQ(forward_of(p, src, weights), (Values{1, 2, 0, 0}));
}

// A sum in f32 would lose the 1.
TEST(FcOps, AccumulateInDouble) {
  EXPECT_EQ(forward_of(parse_problem<FcProblem>("C3 K1"), {1e8, 1, -1e8}, {1, 1, 1}), (Values{1}));
  EXPECT_EQ(backward_of(parse_problem<FcProblem>("C1 K3"), {1e8, 1, -1e8}, {1, 1, 1}), (Values{1}));
  EXPECT_EQ(update_of(parse_problem<FcProblem>("N3 C1 K1"), {1e8, 1, -1e8}, {1, 1, 1}), (Values{1}));
}

struct RandomLayer {
  FcProblem p = {.N = *rc::gen::inRange(1, 9), .C = *rc::gen::inRange(1, 9), .K = *rc::gen::inRange(1, 9)};
  Values src = random_values(p.N * p.C), weights = random_values(p.K * p.C), ddst = random_values(p.N * p.K);
};

TEST(FcOps, TrainingPassesAreTheAdjointsOfForward) {
  EXPECT_TRUE(rc::check([] {
    const RandomLayer l;
    const double forward = dot(l.ddst, forward_of(l.p, l.src, l.weights));
    RC_ASSERT(forward == dot(backward_of(l.p, l.ddst, l.weights), l.src));
    RC_ASSERT(forward == dot(update_of(l.p, l.src, l.ddst), l.weights));
  }));
}

TEST(FcOps, TransposedWeightsAreNotTheAdjoint) {
  const auto p = parse_problem<FcProblem>("N2 C3 K3");
  const Values src = numbered(6), weights = numbered(9), ddst{1, 10, 100, 3, 2, 1},
               transposed{1, 4, 7, 2, 5, 8, 3, 6, 9};
  EXPECT_EQ(dot(ddst, forward_of(p, src, weights)), dot(update_of(p, src, ddst), weights));
  EXPECT_NE(dot(ddst, forward_of(p, src, weights)), dot(backward_of(p, ddst, transposed), src));
  EXPECT_NE(dot(ddst, forward_of(p, src, weights)), dot(update_of(p, src, ddst), transposed));
}

TEST(FcOps, TermsAreTheProductsOfAnOutput) {
  const auto p = parse_problem<FcProblem>("N2 C3 K5");
  const Values src(6, 1), weights(15, 1), ddst(10, 1);
  EXPECT_EQ(forward_of(p, src, weights), Values(10, FcForwardOp::terms(p)));
  EXPECT_EQ(backward_of(p, ddst, weights), Values(6, FcBackwardDataOp::terms(p)));
  EXPECT_EQ(update_of(p, src, ddst), Values(15, FcWeightUpdateOp::terms(p)));
}

// The expected values come from three of the images.
TEST(FcOps, ExpectedValuesSumOverAllImages) {
  const auto p = parse_problem<FcProblem>("N1000 C3 K2");
  const TestData data = make_checkable_test_data<FcWeightUpdateOp>(p, Fill::integers);
  const auto src = data.inputs.values<float>(0), ddst = data.inputs.values<float>(1);
  const auto expected = data.expected.values<double>(0);
  EXPECT_EQ(update_of(p, Values(src.begin(), src.end()), Values(ddst.begin(), ddst.end())),
            Values(expected.begin(), expected.end()));
  EXPECT_EQ(test_data::few_images<FcForwardOp>(p).N, 3);
  EXPECT_EQ(test_data::few_images<FcBackwardDataOp>(p).N, 3);
  EXPECT_EQ(test_data::few_images<FcWeightUpdateOp>(p).N, 4);
}

TEST(FcOps, EachPassSaysWhichStepsItHas) {
  EXPECT_NO_THROW(check_taken<FcForwardOp>(parse_problem<FcProblem>("C3 K5 bias+relu")));
  EXPECT_NO_THROW(check_taken<FcBackwardDataOp>(parse_problem<FcProblem>("C3 K5")));
  EXPECT_EQ(refusal<FcBackwardDataOp>("C3 K5 relu"),
            "the epilogue is relu: for the pass backward-data it must be none, or some of residual, "
            "drelu|dsigmoid|dtanh|dgelu in this order joined by +");
  EXPECT_NO_THROW(check_taken<FcBackwardDataOp>(parse_problem<FcProblem>("C3 K5 residual+drelu")));
  EXPECT_NO_THROW(check_taken<FcWeightUpdateOp>(parse_problem<FcProblem>("C3 K5 bias")));
  EXPECT_EQ(refusal<FcWeightUpdateOp>("C3 K5 relu"),
            "the epilogue is relu: for the pass weight-update it must be none or bias");
}

}  // namespace
}  // namespace brickwork
