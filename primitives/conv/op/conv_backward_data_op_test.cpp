#include "primitives/conv/op/conv_backward_data_op.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "primitives/conv/op/testing/adjoint.hpp"

namespace brickwork {
namespace {

Values dsrc_of(const ConvProblem& p, const std::vector<Values>& inputs) {
  return by_definition<ConvBackwardDataOp>(p, inputs);
}

Values dsrc_of(const ConvProblem& p, const Values& ddst, const Values& weights) { return dsrc_of(p, {ddst, weights}); }

TEST(ConvBackwardDataOp, PointwiseMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C2 K2 H1 W2");
  // dsrc[c][w] = ddst[0][w] * weights[0][c] + ddst[1][w] * weights[1][c]
  EXPECT_EQ(dsrc_of(p, {1, 2, 3, 4}, {10, 1, 100, -1}), (Values{310, 420, -2, -2}));
}

TEST(ConvBackwardDataOp, PaddedThreeByThreeMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C1 K1 H2 R3 ph1");
  // A pixel gets an output's gradient by the tap with which the output reads it: from the output to its right by the
  // left tap.
  EXPECT_EQ(dsrc_of(p, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
            (Values{1 * 5 + 2 * 4 + 3 * 2 + 4 * 1, 1 * 6 + 2 * 5 + 3 * 3 + 4 * 2, 1 * 8 + 2 * 7 + 3 * 5 + 4 * 4,
                    1 * 9 + 2 * 8 + 3 * 6 + 4 * 5}));
}

TEST(ConvBackwardDataOp, PixelsThatNoOutputReadsAreZero) {
  const auto p = parse_problem<ConvProblem>("C1 K1 H3 W5 sh2 sw3");
  EXPECT_EQ(dsrc_of(p, {1, 2, 3, 4}, {2}), (Values{2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 6, 0, 0, 8, 0}));
}

TEST(ConvBackwardDataOp, WithStrideTwoPixelsGetEveryOtherTap) {
  // Output 0 reads pixels 0, 1, 2 and output 1 pixels 2, 3, 4.
  const auto p = parse_problem<ConvProblem>("C1 K1 H1 W5 R1 S3 sw2");
  EXPECT_EQ(dsrc_of(p, {1, 10}, {2, 3, 5}), (Values{2, 3, 5 + 20, 30, 50}));
}

TEST(ConvBackwardDataOp, AccumulatesInDouble) {
  EXPECT_EQ(dsrc_of(parse_problem<ConvProblem>("C1 K3 H1"), {1e8, 1, -1e8}, {1, 1, 1}), (Values{1}));
}

// <ddst, forward(src)> == <backward(ddst), src>
TEST(ConvBackwardDataOp, IsTheAdjointOfForward) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_conv();
    const Values src = random_values(p.N * p.C * p.H * p.W), weights = random_values(p.K * p.C * p.R * p.S),
                 ddst = random_values(p.N * p.K * p.P() * p.Q());
    RC_ASSERT(dot(ddst, dst_of(p, src, weights)) == dot(dsrc_of(p, ddst, weights), src));
  }));
}

TEST(ConvBackwardDataOp, FlippedTapsAreNotTheAdjoint) {
  const auto p = parse_problem<ConvProblem>("N2 C3 K4 H5 R3 ph1");
  const Values src = numbered(2 * 3 * 5 * 5), weights = numbered(4 * 3 * 3 * 3), ddst = numbered(2 * 4 * 5 * 5);
  Values flipped = weights;  // right if each tap read the opposite pixel
  for (std::size_t filter = 0; filter < flipped.size(); filter += 9) {
    std::reverse(flipped.begin() + static_cast<std::ptrdiff_t>(filter),
                 flipped.begin() + static_cast<std::ptrdiff_t>(filter + 9));
  }
  EXPECT_EQ(dot(ddst, dst_of(p, src, weights)), dot(dsrc_of(p, ddst, weights), src));
  EXPECT_NE(dot(ddst, dst_of(p, src, weights)), dot(dsrc_of(p, ddst, flipped), src));
}

// With all ones, a pixel's sum counts the products that it gets.
TEST(ConvBackwardDataOp, NoPixelSumsMoreThanItsTerms) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_conv();
    const Values sums = dsrc_of(p, Values(static_cast<std::size_t>(p.N * p.K * p.P() * p.Q()), 1),
                                Values(static_cast<std::size_t>(p.K * p.C * p.R * p.S), 1));
    RC_ASSERT(std::ranges::max(sums) <= static_cast<double>(ConvBackwardDataOp::terms(p)));
  }));
  EXPECT_EQ(ConvBackwardDataOp::terms(parse_problem<ConvProblem>("C2 K5 H9 R3 S7 sh2 sw3 ph1 pw3")), 5 * 2 * 3);
}

TEST(ConvBackwardDataOp, HasForwardsFlopsAndItsTensorsBytes) {
  const auto p = parse_problem<ConvProblem>("N2 C3 K5 H7 R3 sh2 ph1");
  EXPECT_EQ(ConvBackwardDataOp::flops(p), p.flops());
  EXPECT_EQ(ConvBackwardDataOp::least_flops(p), p.least_flops());
  EXPECT_EQ(bytes_of<ConvBackwardDataOp>(p), 4.0 * (2 * 5 * 4 * 4 + 5 * 3 * 3 * 3 + 2 * 3 * 7 * 7));
}

// Pixels that no output reads also get the epilogue.
TEST(ConvBackwardDataOp, EpilogueIsResidualThenDerivative) {
  const Values ddst{1, -2}, weights{10}, residual{1, 2, 3}, at{1, 0, 2};
  const auto with = [](const char* epilogue) {
    return parse_problem<ConvProblem>(std::string("C1 K1 H1 W3 sw2 ") + epilogue);
  };
  EXPECT_EQ(dsrc_of(with("residual"), {ddst, weights, residual, {}}), (Values{11, 2, -17}));
  EXPECT_EQ(dsrc_of(with("drelu"), {ddst, weights, {}, at}), (Values{10, 0, -20}));
  EXPECT_EQ(dsrc_of(with("residual+drelu"), {ddst, weights, residual, at}), (Values{11, 0, -17}));
  EXPECT_EQ(dsrc_of(with("residual+dsigmoid"), {ddst, weights, residual, at}), (Values{0, 0, 34}));
  EXPECT_EQ(dsrc_of(with("residual+dtanh"), {ddst, weights, residual, at}), (Values{0, 2, 51}));
}

TEST(ConvBackwardDataOp, TakesOnlyItsOwnEpilogues) {
  for (const char* text : {"C3 K5 H7", "C3 K5 H7 residual", "C3 K5 H7 residual+dgelu"})
    EXPECT_EQ(refusal<ConvBackwardDataOp>(text), "");
  EXPECT_EQ(refusal<ConvBackwardDataOp>("C3 K5 H7 bias+relu"),
            "the epilogue is bias+relu: for the pass backward-data it must be none, or some of residual, "
            "drelu|dsigmoid|dtanh|dgelu in this order joined by +");
}

}  // namespace
}  // namespace brickwork
