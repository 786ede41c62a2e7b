#include "softmax_loss/softmax_loss.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "testing/elementwise_check.hpp"

namespace brickwork {
namespace {

void run_loss(const SoftmaxLossProblem& p, const PlainTensors& in, PlainTensors& out, const ElementwisePlan& plan) {
  *out.at<float>("loss") = SoftmaxLoss(p, plan).run(in.at<float>("logits"), in.at<std::int32_t>("labels"), nullptr);
}

void run_gradient(const SoftmaxLossProblem& p, const PlainTensors& in, PlainTensors& out, const ElementwisePlan& plan) {
  SoftmaxLoss(p, plan).run(in.at<float>("logits"), in.at<std::int32_t>("labels"), out.at<float>("dlogits"));
}

TEST(SoftmaxLoss, IsRightAtEveryEdge) {
  for (const char* text :
       {"C2", "N3 C2", "N5 C15", "N2 C16", "N7 C17", "N3 C1000", "N2 C4097", "N20000 C3", "N2 C32003"}) {
    expect_exact<SoftmaxLossForwardOp>(parse_problem<SoftmaxLossProblem>(text), run_loss);
    expect_exact<SoftmaxLossBackwardOp>(parse_problem<SoftmaxLossProblem>(text), run_gradient);
  }
}

TEST(SoftmaxLoss, IsRightOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    SoftmaxLossProblem p;
    p.N = *rc::gen::inRange(1, 100);
    p.C = *rc::gen::inRange(2, 300);
    expect_exact<SoftmaxLossForwardOp>(p, run_loss);
    expect_exact<SoftmaxLossBackwardOp>(p, run_gradient);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(SoftmaxLoss, OfOneClassIsZero) {
  const float logits[] = {3, -4};
  const std::int32_t labels[] = {0, 0};
  float gradient[] = {7, 7};
  EXPECT_EQ(SoftmaxLoss({.N = 2, .C = 1}, {}).run(logits, labels, gradient), 0);
  EXPECT_THAT(gradient, testing::Each(0));
}

// A loss that the logits' own exponentials would overflow or drown, and the same loss with its gradient and without.
TEST(SoftmaxLoss, OverflowsAndDrownsNothing) {
  const float logits[] = {1000, 1000, -1000, -200, -200, -200};
  const std::int32_t labels[] = {0, 2};
  float gradient[6];
  SoftmaxLoss loss({.N = 2, .C = 3}, {});
  const float with_gradient = loss.run(logits, labels, gradient);
  EXPECT_FLOAT_EQ(with_gradient, static_cast<float>((std::log(2.0) + std::log(3.0)) / 2));
  EXPECT_EQ(loss.run(logits, labels, nullptr), with_gradient);
  EXPECT_FLOAT_EQ(gradient[0], -0.25f);
  EXPECT_FLOAT_EQ(gradient[1], 0.25f);
  EXPECT_EQ(gradient[2], 0);
}

TEST(SoftmaxLoss, FindsTheLargestLogitWhereverItLies) {
  for (const std::int32_t C : {2, 15, 16, 17, 64, 65, 100, 130}) {
    for (std::int32_t place = 0; place < C; ++place) {
      std::vector<float> logits(static_cast<std::size_t>(C));
      logits[static_cast<std::size_t>(place)] = 1000;
      EXPECT_EQ(SoftmaxLoss({.N = 1, .C = C}, {}).run(logits.data(), &place, nullptr), 0) << place << " of " << C;
    }
  }
}

TEST(SoftmaxLoss, ALabelThatIsNoClassIsRefusedInOneSentence) {
  const float logits[] = {1, 2, 3, 4, 5, 6};
  float gradient[] = {7, 7, 7, 7, 7, 7};
  const auto error_of_label = [&](std::int32_t label) -> std::string {
    const std::int32_t labels[] = {0, label};
    try {
      SoftmaxLoss({.N = 2, .C = 3}, {}).run(logits, labels, gradient);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error_of_label(3), "label 3 of row 1: it must be from 0 to 2");
  EXPECT_EQ(error_of_label(-1), "label -1 of row 1: it must be from 0 to 2");
  EXPECT_THAT(gradient, testing::Each(7));
  EXPECT_EQ(error_of_label(2), "");
}

TEST(SoftmaxLoss, NaNStaysNaN) {
  const float logits[] = {1, NAN, 3};
  const std::int32_t labels[] = {0};
  float gradient[3] = {};
  EXPECT_TRUE(std::isnan(SoftmaxLoss({.N = 1, .C = 3}, {}).run(logits, labels, gradient)));
}

}  // namespace
}  // namespace brickwork
