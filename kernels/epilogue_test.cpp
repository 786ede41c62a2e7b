#include "epilogue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace brickwork {
namespace {

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

// Plain loops, written again: the portable epilogue is judged by them, too.
float expected(float x, float bias, float residual, const TileEpilogue& e) {
  if (e.bias) x += bias;
  if (e.residual) x += residual;
  if (e.relu) x = std::max(0.0f, x);
  return x;
}

using Apply = void (*)(float*, int, int, std::int64_t, const TileEpilogue&);

struct Tile {
  int m, n;
  std::int64_t ldc, ldr;
};

// What `apply` does wrong, or nothing. Operands end with their vectors' memory, so that the sanitizers see an access
// beyond; gaps between rows are poisoned and have to stay so.
std::string wrong(Apply apply, const Tile& t, bool with_bias, bool with_residual, bool relu) {
  std::vector<float> c((t.m - 1) * t.ldc + t.n, kPoison), bias(t.n), residual((t.m - 1) * t.ldr + t.n, kPoison);
  for (int j = 0; j < t.n; ++j) bias[j] = static_cast<float>(j % 5 - 2);
  for (int i = 0; i < t.m; ++i)
    for (int j = 0; j < t.n; ++j) {
      c[i * t.ldc + j] = static_cast<float>((3 * i + 5 * j) % 17 - 8);
      residual[i * t.ldr + j] = static_cast<float>((7 * i + j) % 11 - 5);
    }
  const TileEpilogue e{.bias = with_bias ? bias.data() : nullptr,
                       .residual = with_residual ? residual.data() : nullptr,
                       .ldr = t.ldr,
                       .relu = relu};
  const std::vector<float> before = c;
  apply(c.data(), t.m, t.n, t.ldc, e);

  for (std::int64_t at = 0; at < std::ssize(c); ++at) {
    const std::int64_t i = at / t.ldc, j = at % t.ldc;
    const bool inside = j < t.n;
    const bool right = inside ? c[at] == expected(before[at], bias[j], residual[i * t.ldr + j], e) : std::isnan(c[at]);
    if (!right)
      return fmt::format("[{}][{}] of {} x {} (ld {}, bias {}, residual {}, relu {}) became {}", i, j, t.m, t.n, t.ldc,
                         with_bias, with_residual, relu, c[at]);
  }
  return {};
}

// The first fault over every width, combination of steps and gap between rows, or nothing.
std::string first_wrong(Apply apply) {
  for (int n = 1; n <= 70; ++n)
    for (int m : {1, 2, 7})
      for (std::int64_t pad : {0, 3})
        for (int steps = 0; steps < 8; ++steps)
          if (std::string fault = wrong(apply, {m, n, n + pad, n + 2 * pad}, steps & 1, steps & 2, steps & 4);
              !fault.empty())
            return fault;
  return {};
}

TEST(Epilogue, IsExactForEveryWidthAndCombination) { EXPECT_EQ(first_wrong(apply_epilogue), ""); }

TEST(Epilogue, ThePortableOneToo) { EXPECT_EQ(first_wrong(apply_epilogue_portable<float>), ""); }

TEST(Epilogue, TheCheckSeesWrongOnes) {
  const Apply untouched = [](float*, int, int, std::int64_t, const TileEpilogue&) {};
  const Apply without_relu = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, {e.bias, e.residual, e.ldr, false});
  };
  const Apply relu_before_the_sum = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, {.relu = e.relu});
    apply_epilogue_portable(c, m, n, ldc, {e.bias, e.residual, e.ldr, false});
  };
  const Apply into_the_gap = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m, n, ldc, e);
    if (m > 1 && ldc > n) c[n] = 0;
  };
  const Apply without_the_last_row = [](float* c, int m, int n, std::int64_t ldc, const TileEpilogue& e) {
    apply_epilogue_portable(c, m - 1, n, ldc, e);
  };
  for (Apply apply : {untouched, without_relu, relu_before_the_sum, into_the_gap, without_the_last_row})
    EXPECT_NE(first_wrong(apply), "");
}

TEST(Epilogue, ReluKeepsNaN) {
  std::vector<float> c(33, kPoison), portable = c;
  apply_epilogue(c.data(), 1, 33, 33, {.relu = true});
  apply_epilogue_portable(portable.data(), 1, 33, 33, {.relu = true});
  for (int j = 0; j < 33; ++j) EXPECT_TRUE(std::isnan(c[j]) && std::isnan(portable[j])) << "column " << j;
}

TEST(Epilogue, AnySaysWhetherThereIsWork) {
  const float x = 0;
  EXPECT_FALSE(TileEpilogue{}.any());
  EXPECT_TRUE(TileEpilogue{.bias = &x}.any());
  EXPECT_TRUE(TileEpilogue{.residual = &x}.any());
  EXPECT_TRUE(TileEpilogue{.relu = true}.any());
}

}  // namespace
}  // namespace brickwork
