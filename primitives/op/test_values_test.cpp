#include "primitives/op/test_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace brickwork {
namespace {

std::vector<double> drawn(Fill fill, std::int64_t terms, const std::string& seed) {
  std::vector<double> values(1000);
  TestValues(fill, terms, seed).fill(values);
  return values;
}

TEST(TestValues, DependOnlyOnTheSeed) {
  EXPECT_EQ(drawn(Fill::integers, 64, "a"), drawn(Fill::integers, 64, "a"));
  EXPECT_NE(drawn(Fill::integers, 64, "a"), drawn(Fill::integers, 64, "b"));
  EXPECT_NE(drawn(Fill::floats, 64, "a"), drawn(Fill::floats, 64, "b"));
}

// Results of two builds can only be compared on the same inputs.
TEST(TestValues, AreTheSameInEveryVersion) {
  const auto from = [](Fill fill, bool curved) {
    std::vector<double> values(4);
    TestValues(fill, 64, "seed", curved).fill(values);
    return values;
  };
  const std::vector<double> floats{6401660 * 0x1p-23, 137384 * 0x1p-23, -477215 * 0x1p-23, -4648324 * 0x1p-23};
  EXPECT_EQ(from(Fill::floats, false), floats);
  EXPECT_EQ(from(Fill::floats, true), floats);
  EXPECT_EQ(from(Fill::integers, false), (std::vector<double>{-3, 4, -1, 1}));
  EXPECT_EQ(from(Fill::integers, true), (std::vector<double>{-0.375, 0.5, -0.125, 0.125}));
}

TEST(TestValues, IntegersKeepEverySumExact) {
  for (const std::int64_t terms : {1L, 64L, 4608L, 1L << 20, 1L << 22, 1L << 23}) {
    double largest = 0;
    for (const double x : drawn(Fill::integers, terms, "a")) {
      EXPECT_EQ(x, std::round(x));
      EXPECT_NE(x, 0);
      largest = std::max(largest, std::abs(x));
    }
    EXPECT_LE(static_cast<double>(terms) * largest * largest + 8, 1 << 24) << terms;
  }
  EXPECT_EQ(TestValues(Fill::integers, 64, "a").tolerance(), 0);
}

TEST(TestValues, SumsForACurveAreExactAndAroundOne) {
  for (const std::int64_t terms : {1L, 64L, 4608L, 1L << 20}) {
    TestValues values(Fill::integers, terms, "a", true);
    std::vector<double> x(1000);
    values.fill(x);
    const double unit = std::abs(*std::ranges::min_element(x, {}, [](double value) { return std::abs(value); }));
    EXPECT_EQ(std::exp2(std::round(std::log2(unit))), unit) << terms;
    double squares = 0;
    for (const double value : x) {
      EXPECT_EQ(value / unit, std::round(value / unit));
      squares += value * value / 1000;
    }
    const double sum = squares * std::sqrt(static_cast<double>(terms));  // standard deviation of a sum of products
    EXPECT_TRUE(0.2 < sum && sum < 4) << terms << " terms: " << sum;
    EXPECT_GT(values.tolerance(), 0);
    EXPECT_LE(values.tolerance(), 1e-5);
  }
  EXPECT_GT(TestValues(Fill::floats, 64, "a", true).tolerance(), TestValues(Fill::floats, 64, "a").tolerance());
}

TEST(TestValues, RefuseSumsThatCannotBeExact) {
  EXPECT_THROW(TestValues(Fill::integers, 1 << 24, "a"), std::invalid_argument);
}

TEST(TestValues, FloatsFillTheUnitIntervalAndStateABound) {
  const auto values = drawn(Fill::floats, 64, "a");
  EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 990U);
  for (const double x : values) EXPECT_TRUE(-1 <= x && x < 1);
  EXPECT_NEAR(TestValues(Fill::floats, 64, "a").tolerance(), 130 * std::ldexp(1.0, -23), 1e-12);
}

}  // namespace
}  // namespace brickwork
