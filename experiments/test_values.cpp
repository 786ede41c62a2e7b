#include "test_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace brickwork {
namespace {

constexpr int epilogue_terms = 2;  // bias and residual
constexpr int largest_integer = 4;
constexpr double exact_below = 1 << 24;  // every integer up to here is a float

std::mt19937 seeded(const std::string& text) {
  std::seed_seq seed(text.begin(), text.end());
  return std::mt19937(seed);
}

}  // namespace

TestValues::TestValues(Fill fill, std::int64_t terms, const std::string& seed) : fill_(fill), random_(seeded(seed)) {
  if (fill == Fill::floats) {
    tolerance_ = static_cast<double>(2 * terms + epilogue_terms) * std::numeric_limits<float>::epsilon();
    return;
  }
  const double room = exact_below - epilogue_terms * largest_integer;
  limit_ = static_cast<int>(std::min<double>(largest_integer, std::sqrt(room / static_cast<double>(terms))));
  if (limit_ < 1) {
    throw std::runtime_error(
        fmt::format("an output is the sum of {} products: f32 is exact only up to 2^24 of them", terms));
  }
}

void TestValues::fill(std::span<float> values) {
  for (float& value : values) {
    const std::uint32_t bits = random_();
    if (fill_ == Fill::floats) {
      value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits) >> 8), -23);
    } else {
      const auto magnitude = static_cast<float>(1 + (bits >> 1) % static_cast<std::uint32_t>(limit_));
      value = bits & 1 ? magnitude : -magnitude;
    }
  }
}

}  // namespace brickwork
