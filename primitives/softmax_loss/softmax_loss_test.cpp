#include "primitives/softmax_loss/softmax_loss.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/testing/guarded_buffer.hpp"
#include "kernels/testing/only_target.hpp"
#include "primitives/testing/elementwise_check.hpp"

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

TEST(SoftmaxLoss, LossOfOneClassIsZero) {
  const float logits[] = {3, -4};
  const std::int32_t labels[] = {0, 0};
  float gradient[] = {7, 7};
  EXPECT_EQ(SoftmaxLoss({.N = 2, .C = 1}, {}).run(logits, labels, gradient), 0);
  EXPECT_THAT(gradient, testing::Each(0));
}

// Exponentials of these logits would overflow or vanish. The loss is the same with and without the gradient.
TEST(SoftmaxLoss, ExponentialsNeitherOverflowNorVanish) {
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

// The first row's largest logit has its own sweep. That of a later row is found while the exponentials of the row
// before are computed, in parts of 1024.
TEST(SoftmaxLoss, FindsTheLargestLogitOfTheNextRow) {
  for_every_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const std::int32_t C : {2, 15, 17, 33, 100, 1025, 2100}) {
      std::vector<float> logits(static_cast<std::size_t>(2 * C));
      for (std::int32_t place = 0; place < C; place += C < 200 || place / 100 == 10 ? 1 : 37) {
        logits[static_cast<std::size_t>(C + place)] = 1000;
        const std::int32_t labels[] = {0, place};
        ASSERT_FLOAT_EQ(SoftmaxLoss({.N = 2, .C = C}, {}).run(logits.data(), labels, nullptr),
                        static_cast<float>(std::log(static_cast<double>(C)) / 2))
            << place << " of " << C;
        logits[static_cast<std::size_t>(C + place)] = 0;
      }
    }
  });
}

// Compared with the definition in double: exponentials are 0 if differences overflow, and only then.
TEST(SoftmaxLoss, IsRightForLogitsOfEverySize) {
  const std::vector<float> magnitudes{0,  1e-45F, 1e-40F, 1e-30F, 1,     30,
                                      88, 300,    1e15F,  1e30F,  3e38F, std::numeric_limits<float>::max()};
  for_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    std::minstd_rand random(1);
    const auto drawn = [&](std::size_t below) { return random() / 7 % below; };
    for (const std::size_t C : {1, 2, 5, 17, 70, 1030})
      for (std::size_t few = 3; few <= magnitudes.size(); ++few) {
        std::vector<float> logits(C), gradient(C);
        for (float& x : logits) x = (drawn(2) == 0 ? 1.0F : -1.0F) * magnitudes[drawn(few)];
        const auto label = static_cast<std::int32_t>(drawn(C));
        SoftmaxLoss loss({.N = 1, .C = static_cast<std::int64_t>(C)}, {});
        const float got = loss.run(logits.data(), &label, gradient.data());
        const double max = std::ranges::max(logits);
        double sum = 0;
        for (const float x : logits) sum += std::exp(double{x} - max);
        const double right = std::log(sum) + max - double{logits[static_cast<std::size_t>(label)]};
        if (std::isinf(static_cast<float>(right))) {
          EXPECT_TRUE(std::isinf(got)) << right;  // f32 overflows
        } else {
          EXPECT_NEAR(got, right, 1e-6 * std::max(1.0, right));
        }
        EXPECT_EQ(loss.run(logits.data(), &label, nullptr), got);
        for (std::size_t c = 0; c < C; ++c) {
          const double share = std::exp(double{logits[c]} - max) / sum;
          ASSERT_NEAR(gradient[c], share - (c == static_cast<std::size_t>(label) ? 1 : 0), 4e-6)
              << logits[c] << " below " << max;
        }
      }
  });
}

// There may be no memory before the first row and after the last one.
TEST(SoftmaxLoss, ReadsAndWritesOnlyItsTensors) {
  for_every_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const std::int64_t N : {1, 2, 5})
      for (const std::int64_t C : {1, 2, 15, 16, 17, 100, 1024, 1025, 4096}) {
        const std::vector<float> values(static_cast<std::size_t>(N * C), 1);
        const std::vector<std::int32_t> labels(static_cast<std::size_t>(N));
        for (const Sweep sweep : {Sweep::cached, Sweep::stream, Sweep::stream_l2})
          for (const bool guard_after : {false, true}) {
            GuardedFloats logits(values, guard_after), gradient(values, guard_after);
            SoftmaxLoss loss({.N = N, .C = C}, {.sweep = sweep});
            const auto right = static_cast<float>(std::log(static_cast<double>(C)));
            EXPECT_NEAR(loss.run(logits.data(), labels.data(), nullptr), right, 1e-5);
            EXPECT_NEAR(loss.run(logits.data(), labels.data(), gradient.data()), right, 1e-5);
          }
      }
  });
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

// A logit of infinity makes the loss NaN; one of minus infinity leaves the loss to the others.
TEST(SoftmaxLoss, InfinitiesGiveWhatTheDefinitionGives) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::int32_t labels[] = {1};
  float gradient[3] = {};
  const float logits[] = {-inf, 2, 2}, infinite[] = {0, inf, 2}, none[] = {-inf, -inf, -inf};
  SoftmaxLoss loss({.N = 1, .C = 3}, {});
  EXPECT_FLOAT_EQ(loss.run(logits, labels, gradient), std::log(2.0F));
  EXPECT_THAT(gradient, testing::ElementsAre(0, -0.5F, 0.5F));
  EXPECT_TRUE(std::isnan(loss.run(infinite, labels, gradient)));
  EXPECT_TRUE(std::isnan(loss.run(none, labels, gradient)));
}

}  // namespace
}  // namespace brickwork
