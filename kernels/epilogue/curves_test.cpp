#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/epilogue/curves_test.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"
#include "kernels/epilogue/curves-inl.h"
#include "kernels/testing/only_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Curve>
HWY_INLINE void OfEach(std::vector<float>& x, const Curve& curve) {
  ForEachVector(hn::ScalableTag<float>(), std::size_t{0}, x.size(),
                [&](auto d, std::size_t i) HWY_ATTR { hn::StoreU(curve(d, hn::LoadU(d, &x[i])), d, &x[i]); });
}

void ExpsOfNegatives(std::vector<float>& x) {
  OfEach(x, [](auto d, auto v) HWY_ATTR { return BoundedExpOfNegative(d, v); });
}
void ExpsOfScaled(std::vector<float>& x, float by) {
  OfEach(x, [by](auto d, auto v) HWY_ATTR { return BoundedExpOfNegative(d, v, by); });
}
void Sigmoids(std::vector<float>& x) {
  OfEach(x, [](auto d, auto v) HWY_ATTR { return BoundedSigmoid(d, v); });
}
void Tanhs(std::vector<float>& x) {
  OfEach(x, [](auto d, auto v) HWY_ATTR { return BoundedTanh(d, v); });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {
namespace {

HWY_EXPORT(ExpsOfNegatives);
HWY_EXPORT(ExpsOfScaled);
HWY_EXPORT(Sigmoids);
HWY_EXPORT(Tanhs);

std::vector<float> many(float least, float most) {
  constexpr int kCount = 200'003;  // not a multiple of a vector's length
  std::vector<float> x(kCount);
  for (int i = 0; i < kCount; ++i)
    x[static_cast<std::size_t>(i)] = least + (most - least) * static_cast<float>(i) / kCount;
  x.insert(x.end(), {least, most, 0.0F, -0.0F, 1e-30F});
  return x;
}

template <class Right, class Error>
double largest(const std::vector<float>& x, const std::vector<float>& values, const Right& right, const Error& error) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, error(double{values[i]}, right(double{x[i]})));
  return most;
}

double relative(double value, double right) { return std::abs(value / right - 1); }
double absolute(double value, double right) { return std::abs(value - right); }

TEST(Curves, AreWithinTheirBounds) {
  const auto wide = many(-120, 120), narrow = many(-9, 9);
  for_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    for (const float least : {-87.0F, -1.0F}) {
      const auto negative = many(least, 0);
      auto values = negative;
      HWY_DYNAMIC_DISPATCH(ExpsOfNegatives)(values);
      EXPECT_LE(largest(
                    negative, values, [](double v) { return std::exp(v); }, relative),
                2e-7 - 2e-8 * least);
    }
    for (const auto& some : {wide, narrow}) {
      auto values = some;
      HWY_DYNAMIC_DISPATCH(Sigmoids)(values);
      EXPECT_LE(largest(
                    some, values, [](double v) { return 1 / (1 + std::exp(-v)); }, absolute),
                4e-7);
      values = some;
      HWY_DYNAMIC_DISPATCH(Tanhs)(values);
      EXPECT_LE(largest(
                    some, values, [](double v) { return std::tanh(v); }, absolute),
                4e-7);
    }
  });
}

// Attention scales by 1 / sqrt(K).
TEST(Curves, ExponentialsOfScaledArgumentsAreWithinTheirBounds) {
  for_every_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const float by : {0.9F, 0.125F, 0.12403473F, 1.0F / 1024}) {
      const auto negative = many(-87 / by, 0);
      auto values = negative;
      HWY_DYNAMIC_DISPATCH(ExpsOfScaled)(values, by);
      for (std::size_t i = 0; i < negative.size(); ++i) {
        const double exponent = double{by} * double{negative[i]};
        ASSERT_LE(relative(values[i], std::exp(exponent)), 2e-7 - 9e-8 * exponent) << negative[i] << " by " << by;
      }
      for (const float far :
           {-89 / by, -1e15F, -1e30F, -std::numeric_limits<float>::max(), -std::numeric_limits<float>::infinity()}) {
        std::vector<float> one{far};
        HWY_DYNAMIC_DISPATCH(ExpsOfScaled)(one, by);
        EXPECT_EQ(one[0], 0) << far << " by " << by;
      }
    }
  });
}

TEST(Curves, AreRightForTheSmallestAndTheLargestFloats) {
  std::vector<float> x{0,     1e-45F, 1e-40F, std::numeric_limits<float>::min(), 1e-30F, 1, 87.9F, 88.1F, 89, 104, 1e4F,
                       1e15F, 1e30F,  3e38F,  std::numeric_limits<float>::max()};
  for (std::size_t i = 0, size = x.size(); i < size; ++i) x.push_back(-x[i]);
  for_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    auto exps = x, sigmoids = x, tanhs = x;
    HWY_DYNAMIC_DISPATCH(ExpsOfNegatives)(exps);
    HWY_DYNAMIC_DISPATCH(Sigmoids)(sigmoids);
    HWY_DYNAMIC_DISPATCH(Tanhs)(tanhs);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double of = x[i];
      EXPECT_NEAR(sigmoids[i], 1 / (1 + std::exp(-of)), 4e-7) << of;
      EXPECT_NEAR(tanhs[i], std::tanh(of), 4e-7) << of;
      if (of > 0) continue;
      EXPECT_NEAR(exps[i], std::exp(of), 2e-6 * std::exp(of) + 2e-38) << of;
    }
  });
}

TEST(Curves, ReachTheirLimitsAndKeepNaN) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{-inf, -1e30F, -88, 88, 1e30F, inf, std::nanf(""), -std::nanf("12345")};
  for_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    auto negatives = x, sigmoids = x, tanhs = x;
    HWY_DYNAMIC_DISPATCH(ExpsOfNegatives)(negatives);
    HWY_DYNAMIC_DISPATCH(Sigmoids)(sigmoids);
    HWY_DYNAMIC_DISPATCH(Tanhs)(tanhs);
    for (const std::size_t i : {0, 1, 2}) {
      EXPECT_EQ(negatives[i], 0);
      EXPECT_NEAR(sigmoids[i], 0, 1e-30);
      EXPECT_EQ(tanhs[i], -1);  // exactly, so that the slope is 0
    }
    for (const std::size_t i : {4, 5}) {
      EXPECT_EQ(sigmoids[i], 1);
      EXPECT_EQ(tanhs[i], 1);
    }
    for (const std::size_t i : {6, 7}) {
      EXPECT_TRUE(std::isnan(negatives[i]) && std::isnan(sigmoids[i]) && std::isnan(tanhs[i]));
    }
  });
}

}  // namespace
}  // namespace brickwork
#endif  // HWY_ONCE
