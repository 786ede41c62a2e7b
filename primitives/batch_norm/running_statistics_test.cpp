#include "primitives/batch_norm/running_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace brickwork {
namespace {

TEST(RunningStatistics, AgreeWithAnExampleByHand) {
  RunningStatistics running(2);
  EXPECT_EQ(running.mean()[1], 0);
  EXPECT_EQ(running.variance()[1], 1);
  const double mean[] = {10, -20}, variance[] = {4, 0};
  running.add(mean, variance, 2);  // unbiased: 8 and 0
  EXPECT_NEAR(running.mean()[0], 1, 1e-15);
  EXPECT_NEAR(running.mean()[1], -2, 1e-15);
  EXPECT_NEAR(running.variance()[0], 0.9 + 0.1 * 8, 1e-15);
  EXPECT_NEAR(running.variance()[1], 0.9, 1e-15);
}

// With n / (n - 1), its variance of 0 would become NaN and any other one infinite.
TEST(RunningStatistics, ASingleValueHasNoUnbiasedVariance) {
  RunningStatistics running(1);
  const double mean = 7, variance = 0;
  running.add(&mean, &variance, 1);
  EXPECT_NEAR(running.mean()[0], 0.7, 1e-15);
  EXPECT_NEAR(running.variance()[0], 0.9, 1e-15);
}

// The minibatches deviate from the mean by 1; f32 averages would stop 0.3 short of it.
TEST(RunningStatistics, AreRightFarFromZero) {
  RunningStatistics running(1);
  double right = 0, average = 1;
  for (int i = 0; i < 500; ++i) {
    const double mean = 1e6 + std::sin(i) / 100, variance = 1 + std::cos(i) / 100;
    running.add(&mean, &variance, 1000);
    right = 0.9 * right + 0.1 * mean;
    average = 0.9 * average + 0.1 * variance * 1000 / 999;
  }
  EXPECT_NEAR(running.mean()[0], right, 1e-8);
  EXPECT_NEAR(running.variance()[0], average, 1e-13);
}

}  // namespace
}  // namespace brickwork
