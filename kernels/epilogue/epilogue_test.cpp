#include "kernels/epilogue/epilogue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/testing/last_step.hpp"

namespace brickwork {
namespace {

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

using Apply = void (*)(float*, int, int, std::int64_t, const TileEpilogue&);

struct Tile {
  int m, n;
  std::int64_t ld_c, ld_residual, ld_at;
};

// The first fault of `apply`; empty if there is none. Each operand ends with its vector's memory, so that the
// sanitizers see an access beyond it. Gaps between rows are poisoned and must stay so.
std::string wrong(Apply apply, const Tile& t, bool with_bias, bool with_residual, const LastStep& last) {
  std::vector<float> c((t.m - 1) * t.ld_c + t.n, kPoison), bias(t.n),
      residual((t.m - 1) * t.ld_residual + t.n, kPoison), at((t.m - 1) * t.ld_at + t.n, kPoison);
  for (int j = 0; j < t.n; ++j) bias[j] = static_cast<float>(j % 5 - 2);
  for (int i = 0; i < t.m; ++i)
    for (int j = 0; j < t.n; ++j) {
      c[i * t.ld_c + j] = static_cast<float>((3 * i + 5 * j) % 17 - 8);
      residual[i * t.ld_residual + j] = static_cast<float>((7 * i + j) % 11 - 5);
      at[i * t.ld_at + j] = static_cast<float>((5 * i + 3 * j) % 7 - 3);
    }
  const TileEpilogue e{.bias = with_bias ? bias.data() : nullptr,
                       .residual = with_residual ? residual.data() : nullptr,
                       .ldr = t.ld_residual,
                       .activation = last.activation,
                       .at = last.derivative ? at.data() : nullptr,
                       .ldat = t.ld_at};
  const std::vector<float> before = c;
  apply(c.data(), t.m, t.n, t.ld_c, e);

  for (std::int64_t x = 0; x < std::ssize(c); ++x) {
    const std::int64_t i = x / t.ld_c, j = x % t.ld_c;
    const bool inside = j < t.n;
    const float sum =
        inside ? before[x] + (with_bias ? bias[j] : 0) + (with_residual ? residual[i * t.ld_residual + j] : 0)
               : kPoison;
    const bool right = inside ? last.accepts(c[x], sum, at[i * t.ld_at + j]) : std::isnan(c[x]);
    if (!right)
      return fmt::format("[{}][{}] of {} x {} (ld {}, bias {}, residual {}, {}) became {}", i, j, t.m, t.n, t.ld_c,
                         with_bias, with_residual, to_string(last), c[x]);
  }
  return {};
}

// The first fault over all widths, combinations of steps and gaps between rows; empty if there is none.
std::string first_wrong(Apply apply) {
  for (int n = 1; n <= 70; ++n)
    for (int m : {1, 2, 7})
      for (std::int64_t pad : {0, 3})
        for (int sums = 0; sums < 4; ++sums)
          for (const LastStep& last : kLastSteps)
            if (std::string fault = wrong(apply, {m, n, n + pad, n + 2 * pad, n + 3 * pad}, sums & 1, sums & 2, last);
                !fault.empty())
              return fault;
  return {};
}

TEST(Epilogue, IsRightForEveryWidthAndCombination) { EXPECT_EQ(first_wrong(apply_epilogue), ""); }

TEST(Epilogue, PortableIsRightForEveryWidthAndCombination) {
  EXPECT_EQ(first_wrong(apply_epilogue_portable<float>), "");
}

TEST(Epilogue, TheCheckSeesWrongOnes) {
  const Apply untouched = [](float*, int, int, std::int64_t, const TileEpilogue&) {};
  const Apply without_the_last_step = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, {.bias = e.bias, .residual = e.residual, .ldr = e.ldr});
  };
  const Apply last_step_before_the_sum = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, e.without_sum());
    apply_epilogue_portable(c, m, n, ldc, {.bias = e.bias, .residual = e.residual, .ldr = e.ldr});
  };
  const Apply activation_for_derivative = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, {e.bias, e.residual, e.ldr, e.activation});
  };
  const Apply into_the_gap = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, e);
    if (m > 1 && ldc > n) c[n] = 0;
  };
  const Apply without_the_last_row = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m - 1, n, ldc, e);
  };
  for (Apply apply : {untouched, without_the_last_step, last_step_before_the_sum, activation_for_derivative,
                      into_the_gap, without_the_last_row})
    EXPECT_NE(first_wrong(apply), "");
}

// Values from a denormal, over both sides of a curve's bend, to some that overflow when squared.
std::vector<float> range_of_values() {
  std::vector<float> values{0.0f,  1e-45f, 88.0f, 89.0f, 104.0f,
                            1e10f, 1e15f,  1e30f, 3e38f, std::numeric_limits<float>::max()};
  for (float x = 1e-40f; x < 200; x *= 1.01f) values.push_back(x);
  for (std::size_t i = 0, end = values.size(); i < end; ++i) values.push_back(-values[i]);
  return values;
}

std::string first_wrong_over_the_range(Apply apply, float gradient = 1) {
  const std::vector<float> values = range_of_values();
  const int n = static_cast<int>(values.size());
  for (const LastStep& last : kLastSteps) {
    // Derivatives of sigmoid and tanh are taken at values in -1 .. 1, as in practice; the derivative of gelu at any
    // input.
    std::vector<float> c = values, at = values;
    if (last.derivative) std::ranges::fill(c, gradient);
    if (last.activation == Activation::sigmoid || last.activation == Activation::tanh)
      for (float& x : at) x = std::tanh(x);
    const std::vector<float> before = c;
    apply(c.data(), 1, n, n, {.activation = last.activation, .at = last.derivative ? at.data() : nullptr, .ldat = n});
    for (int j = 0; j < n; ++j) {
      if (!last.accepts(c[j], before[j], at[j]))
        return fmt::format("{} of {} at {} is {} instead of {}", to_string(last), before[j], at[j], c[j],
                           last(before[j], at[j]));
    }
  }
  return {};
}

TEST(Epilogue, CurvesAreRightForSmallAndLargeArguments) {
  for (const float gradient : {1.0f, 1e-40f, -1e15f, 1e38f}) {
    EXPECT_EQ(first_wrong_over_the_range(apply_epilogue, gradient), "");
    EXPECT_EQ(first_wrong_over_the_range(apply_epilogue_portable<float>, gradient), "");
  }
}

TEST(Epilogue, TheCheckSeesASlightErrorOfACurve) {
  const Apply a_little_more = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, e);
    if (is_curve(e.activation))
      for (int j = 0; j < n; ++j) c[j] *= 1 + 1e-6f;
  };
  EXPECT_NE(first_wrong_over_the_range(a_little_more), "");
}

// 1 - 2 / (exp(2x) + 1) would lose them completely.
TEST(Epilogue, TanhKeepsSmallArguments) {
  for (float x : {1e-3f, -1e-5f, 1e-10f, -1e-30f}) {
    float c = x;
    apply_epilogue(&c, 1, 1, 1, {.activation = Activation::tanh});
    EXPECT_NEAR(c / std::tanh(x), 1, 4e-7) << x;
  }
}

TEST(Epilogue, InfinitiesReachTheirLimits) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto of = [](float x, Activation activation) {
    float c = x;
    apply_epilogue(&c, 1, 1, 1, {.activation = activation});
    EXPECT_EQ(c, activated(activation, x)) << to_string(activation) << " of " << x;
    return c;
  };
  EXPECT_EQ(of(inf, Activation::sigmoid), 1);
  EXPECT_EQ(of(-inf, Activation::sigmoid), 0);
  EXPECT_EQ(of(inf, Activation::tanh), 1);
  EXPECT_EQ(of(-inf, Activation::tanh), -1);
  EXPECT_EQ(of(inf, Activation::gelu), inf);
}

// The NaN is in the sum, or in `at`.
TEST(Epilogue, NaNStaysUnlessReluStopsIt) {
  constexpr int n = 33;
  for (const LastStep& last : kLastSteps)
    for (const auto& [sum, where] : {std::pair{kPoison, 1.0f}, {1.0f, kPoison}, {kPoison, 0.0f}, {kPoison, -1.0f}}) {
      std::vector<float> c(n, sum), portable = c;
      const std::vector<float> at(n, where);
      const TileEpilogue e{.activation = last.activation, .at = last.derivative ? at.data() : nullptr, .ldat = n};
      apply_epilogue(c.data(), 1, n, n, e);
      apply_epilogue_portable(portable.data(), 1, n, n, e);
      const bool of_relu = last.activation == Activation::relu && last.derivative;
      const bool nan =
          of_relu ? where > 0 : std::isnan(sum) || (last.derivative && last.activation != Activation::none);
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(std::isnan(c[j]), nan) << to_string(last) << " of " << sum << " at " << where << ", column " << j;
        EXPECT_TRUE(!of_relu || !std::isnan(where) || c[j] == sum) << "a gradient beside a NaN passes";
        EXPECT_EQ(std::isnan(portable[j]), nan) << to_string(last) << " of " << sum << " at " << where;
      }
    }
}

TEST(Epilogue, AnySaysWhetherThereIsWork) {
  const float x = 0;
  EXPECT_FALSE(TileEpilogue{}.any());
  EXPECT_TRUE(TileEpilogue{.bias = &x}.any());
  EXPECT_TRUE(TileEpilogue{.residual = &x}.any());
  EXPECT_TRUE(TileEpilogue{.activation = Activation::relu}.any());
}

}  // namespace
}  // namespace brickwork
