#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "curves_test.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "curves-inl.h"
#include "hwy/highway.h"
#include "vectors-inl.h"

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
HWY_EXPORT(Sigmoids);
HWY_EXPORT(Tanhs);

// Of every instruction set of this machine, one after the other.
template <class Check>
void on_each_target(const Check& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::vector<float> many(float least, float most) {
  constexpr int kCount = 200'003;  // no multiple of a vector's length
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
  on_each_target([&] {
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

TEST(Curves, EndWhereFloatsDoAndKeepNaN) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{-inf, -1e30F, -88, 88, 1e30F, inf, std::nanf(""), -std::nanf("12345")};
  on_each_target([&] {
    auto negatives = x, sigmoids = x, tanhs = x;
    HWY_DYNAMIC_DISPATCH(ExpsOfNegatives)(negatives);
    HWY_DYNAMIC_DISPATCH(Sigmoids)(sigmoids);
    HWY_DYNAMIC_DISPATCH(Tanhs)(tanhs);
    for (const std::size_t i : {0, 1, 2}) {
      EXPECT_EQ(negatives[i], 0);
      EXPECT_NEAR(sigmoids[i], 0, 1e-30);
      EXPECT_NEAR(tanhs[i], -1, 4e-7);
    }
    for (const std::size_t i : {4, 5}) {
      EXPECT_NEAR(sigmoids[i], 1, 4e-7);
      EXPECT_NEAR(tanhs[i], 1, 4e-7);
    }
    for (const std::size_t i : {6, 7}) {
      EXPECT_TRUE(std::isnan(negatives[i]) && std::isnan(sigmoids[i]) && std::isnan(tanhs[i]));
    }
  });
}

}  // namespace
}  // namespace brickwork
#endif  // HWY_ONCE
