#include "primitives/conv/op/conv_weight_update_op.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "primitives/conv/op/testing/adjoint.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {
namespace {

Values dweights_of(const ConvProblem& p, const Values& src, const Values& ddst) {
  return by_definition<ConvWeightUpdateOp>(p, {src, ddst});
}

TEST(ConvWeightUpdateOp, PointwiseMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C2 K2 H1 W2");
  // dweights[k][c] = ddst[k][0] * src[c][0] + ddst[k][1] * src[c][1]
  EXPECT_EQ(dweights_of(p, {1, 2, 3, 4}, {10, 1, 100, -1}), (Values{12, 34, 98, 296}));
}

TEST(ConvWeightUpdateOp, PaddedThreeByThreeMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C1 K1 H2 R3 ph1");
  // The centre tap reads every pixel; a tap beside it reads the neighbour of each output that has one.
  EXPECT_EQ(dweights_of(p, {1, 2, 3, 4}, {10, 20, 30, 40}),
            (Values{40 * 1, 30 * 1 + 40 * 2, 30 * 2,                                      //
                    20 * 1 + 40 * 3, 10 * 1 + 20 * 2 + 30 * 3 + 40 * 4, 10 * 2 + 30 * 4,  //
                    20 * 3, 10 * 3 + 20 * 4, 10 * 4}));
}

TEST(ConvWeightUpdateOp, StrideMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C1 K1 H3 W5 sh2 sw3");
  // The outputs read pixels 0, 3, 10 and 13.
  EXPECT_EQ(dweights_of(p, numbered(15), {1, 10, 100, 1000}), (Values{1 * 1 + 4 * 10 + 11 * 100 + 14 * 1000}));
}

TEST(ConvWeightUpdateOp, SumsOverTheImages) {
  const auto p = parse_problem<ConvProblem>("N3 C1 K2 H1");
  EXPECT_EQ(dweights_of(p, {1, 2, 3}, {10, 1, 20, 2, 30, 3}), (Values{10 + 40 + 90, 1 + 4 + 9}));
}

TEST(ConvWeightUpdateOp, AccumulatesInDouble) {
  EXPECT_EQ(dweights_of(parse_problem<ConvProblem>("N3 C1 K1 H1"), {1e8, 1, -1e8}, {1, 1, 1}), (Values{1}));
}

// <ddst, forward(src)> == <dweights, weights>
TEST(ConvWeightUpdateOp, IsTheAdjointOfForward) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_conv();
    const Values src = random_values(p.N * p.C * p.H * p.W), weights = random_values(p.K * p.C * p.R * p.S),
                 ddst = random_values(p.N * p.K * p.P() * p.Q());
    RC_ASSERT(dot(ddst, dst_of(p, src, weights)) == dot(dweights_of(p, src, ddst), weights));
  }));
}

TEST(ConvWeightUpdateOp, MirroredTapsAreNotTheAdjoint) {
  const auto p = parse_problem<ConvProblem>("N2 C3 K4 H5 R3 ph1");
  const Values src = numbered(2 * 3 * 5 * 5), weights = numbered(4 * 3 * 3 * 3), ddst = numbered(2 * 4 * 5 * 5);
  const Values dweights = dweights_of(p, src, ddst);
  Values mirrored = dweights;
  for (std::size_t row = 0; row < mirrored.size(); row += 3) std::swap(mirrored[row], mirrored[row + 2]);
  EXPECT_EQ(dot(ddst, dst_of(p, src, weights)), dot(dweights, weights));
  EXPECT_NE(dot(ddst, dst_of(p, src, weights)), dot(mirrored, weights));
}

// The expected values come from four of the images.
TEST(ConvWeightUpdateOp, ExpectedValuesSumOverAllImages) {
  const auto p = parse_problem<ConvProblem>("N8 C3 K2 H5 R3 ph1");
  const TestData data = make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers);
  const auto src = data.inputs.values<float>(0), ddst = data.inputs.values<float>(1);
  const Values all = dweights_of(p, Values(src.begin(), src.end()), Values(ddst.begin(), ddst.end()));
  const auto expected = data.expected.values<double>(0);
  EXPECT_EQ(all, Values(expected.begin(), expected.end()));
  EXPECT_EQ(test_data::few_images<ConvWeightUpdateOp>(p).N, 4);
}

// ResNet-50's longest sum has 28 images of 112 x 112 outputs. Small integers add up exactly in any order.
TEST(ConvWeightUpdateOp, TermsAreAllOutputsOfAChannel) {
  const auto first = parse_problem<ConvProblem>("N28 C3 K64 H224 R7 sh2 ph3");
  EXPECT_EQ(ConvWeightUpdateOp::terms(first), 28 * 112 * 112);
  EXPECT_NO_THROW(TestValues(Fill::integers, ConvWeightUpdateOp::terms(first), "a"));
  EXPECT_THROW(TestValues(Fill::integers, 50 * ConvWeightUpdateOp::terms(first), "a"), std::invalid_argument);
}

TEST(ConvWeightUpdateOp, HasForwardsFlopsAndItsTensorsBytes) {
  const auto p = parse_problem<ConvProblem>("N2 C3 K5 H7 R3 sh2 ph1");
  EXPECT_EQ(ConvWeightUpdateOp::flops(p), p.flops());
  EXPECT_EQ(ConvWeightUpdateOp::least_flops(p), p.least_flops());
  EXPECT_EQ(bytes_of<ConvWeightUpdateOp>(p), 4.0 * (2 * 5 * 4 * 4 + 5 * 3 * 3 * 3 + 2 * 3 * 7 * 7));
}

TEST(ConvWeightUpdateOp, GradientOfTheBiasIsTheSumOfEachChannel) {
  const auto p = parse_problem<ConvProblem>("N2 C1 K2 H1 W2 bias");
  PlainTensors in(with_dtype(ConvWeightUpdateOp::inputs(p), DType::f64)),
      out(with_dtype(ConvWeightUpdateOp::outputs(p), DType::f64));
  std::ranges::copy(Values{1, 2, 3, 4, 10, 20, 30, 40}, in.at<double>("ddst"));
  std::ranges::fill(out.values<double>(1), -1e30);
  ConvWeightUpdateOp::reference(p, in, out);
  EXPECT_EQ(Values(out.at<double>("dbias"), out.at<double>("dbias") + 2), (Values{33, 77}));
}

TEST(ConvWeightUpdateOp, TakesOnlyABias) {
  for (const char* text : {"C3 K5 H7", "C3 K5 H7 bias"}) EXPECT_EQ(refusal<ConvWeightUpdateOp>(text), "");
  EXPECT_EQ(refusal<ConvWeightUpdateOp>("C3 K5 H7 residual"),
            "the epilogue is residual: for the pass weight-update it must be none or bias");
}

}  // namespace
}  // namespace brickwork
