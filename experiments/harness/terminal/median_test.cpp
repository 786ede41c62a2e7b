#include "experiments/harness/terminal/median.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace brickwork {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({5, 1, 2}), 2);
  EXPECT_EQ(median({5, 1, 2, 4}), 3);
}

std::optional<std::pair<double, double>> interval_of_ranks(int samples) {
  std::vector<double> values(static_cast<std::size_t>(samples));
  std::iota(values.rbegin(), values.rend(), 1);  // in falling order
  return median_interval(values);
}

// Ranks from tables of the sign test.
TEST(Median, IntervalLiesBetweenTheRanksOfTheSignTest) {
  for (int samples = 0; samples < 6; ++samples) EXPECT_FALSE(interval_of_ranks(samples)) << samples;
  EXPECT_EQ(interval_of_ranks(6), std::pair(1.0, 6.0));
  EXPECT_EQ(interval_of_ranks(8), std::pair(1.0, 8.0));
  EXPECT_EQ(interval_of_ranks(9), std::pair(2.0, 8.0));
  EXPECT_EQ(interval_of_ranks(20), std::pair(6.0, 15.0));
  EXPECT_EQ(interval_of_ranks(51), std::pair(19.0, 33.0));
  EXPECT_TRUE(interval_of_ranks(100000));
}

}  // namespace
}  // namespace brickwork
