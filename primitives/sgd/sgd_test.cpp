#include "primitives/sgd/sgd.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "primitives/testing/elementwise_check.hpp"

namespace brickwork {
namespace {

void run_sgd(const SgdProblem& p, const PlainTensors& in, PlainTensors& out, const ElementwisePlan& plan) {
  sgd(SgdOp::step, {in.at<float>("weights"), in.at<float>("velocity"), in.at<float>("gradient")},
      {out.at<float>("new_weights"), out.at<float>("new_velocity")}, p.P, plan);
}

TEST(Sgd, IsRightAtEveryEdge) {
  for (const char* text : {"P1", "P15", "P16", "P17", "P16384", "P16385", "P100003"}) {
    expect_exact<SgdOp>(parse_problem<SgdProblem>(text), run_sgd);
  }
}

TEST(Sgd, IsRightOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    SgdProblem p;
    p.P = *rc::gen::inRange(1, 50'000);
    expect_exact<SgdOp>(p, run_sgd);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

// Powers of two make every step exact; three steps are done in place, as in training.
TEST(Sgd, IsExactInPlaceStepAfterStep) {
  const SgdStep step{.rate = 0.5f, .momentum = 0.25f, .decay = 2};
  for (const Sweep sweep : {Sweep::cached, Sweep::stream}) {
    constexpr int kSize = 37;
    AlignedBuffer<float> w(kSize), v(kSize), g(kSize);
    std::vector<double> right_w(kSize), right_v(kSize);
    for (int i = 0; i < kSize; ++i) {
      right_w[i] = w[i] = static_cast<float>(i);
      right_v[i] = v[i] = static_cast<float>(4 * i - 50);
      g[i] = static_cast<float>(i % 5);
    }
    for (int n = 0; n < 3; ++n) {
      sgd(step, {w.data(), v.data(), g.data()}, {w.data(), v.data()}, kSize, {.sweep = sweep});
      for (int i = 0; i < kSize; ++i) {
        right_v[i] = 0.25 * right_v[i] + g[i] + 2 * right_w[i];
        right_w[i] -= 0.5 * right_v[i];
        ASSERT_EQ(v[i], right_v[i]) << "step " << n << " at " << i;
        ASSERT_EQ(w[i], right_w[i]) << "step " << n << " at " << i;
      }
    }
  }
}

TEST(Sgd, TakesArraysOfAnyAlignment) {
  AlignedBuffer<float> w(80), v(80), g(80);
  std::ranges::fill(g, 1.0f);
  sgd({.rate = 1, .momentum = 0, .decay = 0}, {w.data() + 1, v.data() + 2, g.data() + 3}, {w.data() + 1, v.data() + 2},
      70, {.sweep = Sweep::stream});
  for (int i = 0; i < 80; ++i) {
    ASSERT_EQ(w[i], i >= 1 && i < 71 ? -1 : 0);
    ASSERT_EQ(v[i], i >= 2 && i < 72 ? 1 : 0);
  }
}

}  // namespace
}  // namespace brickwork
