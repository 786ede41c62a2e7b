#include "test_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

namespace brickwork {
namespace {

std::vector<float> drawn(Fill fill, std::int64_t terms, const std::string& seed) {
  std::vector<float> values(1000);
  TestValues(fill, terms, seed).fill(values);
  return values;
}

TEST(TestValues, FollowTheSeedAlone) {
  EXPECT_EQ(drawn(Fill::integers, 64, "a"), drawn(Fill::integers, 64, "a"));
  EXPECT_NE(drawn(Fill::integers, 64, "a"), drawn(Fill::integers, 64, "b"));
  EXPECT_NE(drawn(Fill::floats, 64, "a"), drawn(Fill::floats, 64, "b"));
}

TEST(TestValues, IntegersKeepEverySumExact) {
  for (const std::int64_t terms : {1L, 64L, 4608L, 1L << 20, 1L << 22, 1L << 23}) {
    float largest = 0;
    for (const float x : drawn(Fill::integers, terms, "a")) {
      EXPECT_EQ(x, std::round(x));
      EXPECT_NE(x, 0);
      largest = std::max(largest, std::abs(x));
    }
    EXPECT_LE(static_cast<double>(terms) * largest * largest + 8, 1 << 24) << terms;
  }
  EXPECT_EQ(TestValues(Fill::integers, 64, "a").tolerance(), 0);
}

TEST(TestValues, RefuseSumsThatCannotBeExact) {
  EXPECT_THROW(TestValues(Fill::integers, 1 << 24, "a"), std::runtime_error);
}

TEST(TestValues, FloatsFillTheUnitIntervalAndStateABound) {
  const auto values = drawn(Fill::floats, 64, "a");
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 990U);
  for (const float x : values) EXPECT_TRUE(-1 <= x && x < 1);
  EXPECT_NEAR(TestValues(Fill::floats, 64, "a").tolerance(), 130 * std::ldexp(1.0, -23), 1e-12);
}

}  // namespace
}  // namespace brickwork
