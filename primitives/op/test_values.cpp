#include "primitives/op/test_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace brickwork {
namespace {

constexpr int kEpilogueTerms = 2;  // bias and residual
constexpr int kLargestInteger = 4;
constexpr double kCurveTolerance = 1e-5;  // f32, for values up to ten: two implementations of gelu may differ by this
constexpr double kSteepest = 1.2;         // the largest slope of a curve: it multiplies the error of its argument
constexpr double kExactBelow = 1 << 24;   // every integer up to here is a float

std::mt19937 seeded(const std::string& text) {
  std::seed_seq seed(text.begin(), text.end());
  return std::mt19937(seed);
}

}  // namespace

TestValues::TestValues(Fill fill, std::int64_t terms, const std::string& seed, bool curved)
    : fill_(fill), random_(seeded(seed)) {
  if (fill == Fill::floats) {
    tolerance_ = static_cast<double>(2 * terms + kEpilogueTerms) * std::numeric_limits<float>::epsilon();
    if (curved) tolerance_ = kSteepest * tolerance_ + kCurveTolerance;
    return;
  }
  const double room = kExactBelow - kEpilogueTerms * kLargestInteger;
  limit_ = static_cast<int>(std::min<double>(kLargestInteger, std::sqrt(room / static_cast<double>(terms))));
  if (curved) {
    tolerance_ = kCurveTolerance;
    // A sum of products of about (limit / 2)^2 each, with random signs, is about sqrt(terms) times as large.
    const double size = 0.25 * limit_ * limit_ * std::sqrt(static_cast<double>(terms));
    scale_ = -static_cast<int>(std::ceil(0.5 * std::log2(size)));
  }
  if (limit_ < 1) {
    throw std::invalid_argument(
        fmt::format("an output is the sum of {} products: f32 is exact only up to 2^24 of them", terms));
  }
}

void TestValues::fill(std::span<double> values) {
  const double unit = std::ldexp(1, fill_ == Fill::floats ? -23 : scale_);
  for (double& value : values) {
    const std::uint32_t bits = random_();
    if (fill_ == Fill::floats) {
      value = unit * (static_cast<std::int32_t>(bits) >> 8);
    } else {
      const double magnitude = 1 + (bits >> 1) % static_cast<std::uint32_t>(limit_);
      value = unit * (bits & 1 ? magnitude : -magnitude);
    }
  }
}

}  // namespace brickwork
