// Tests that intervals hold what f32 may give and little else, and that outputs outside of them are found.
#include "primitives/testing/oracle/interval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "primitives/testing/oracle/curves.hpp"
#include "primitives/testing/oracle/outcome.hpp"
#include "primitives/testing/oracle/plain_elementwise.hpp"
#include "primitives/testing/oracle/plain_products.hpp"
#include "primitives/testing/oracle/sown_values.hpp"

namespace brickwork::oracle {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Interval sum_of(const std::vector<float>& terms) {
  Sum sum;
  for (const float x : terms) sum.add(Interval::of(x));
  return sum.value();
}

TEST(Interval, HoldsSumsInAnyOrder) {
  EXPECT_TRUE(rc::check([] {
    std::vector<float> a(static_cast<std::size_t>(*rc::gen::inRange(1, 50))), b(a.size());
    SownValues values(random_sown(), random_seed());
    values.fill(a), values.fill(b);
    Sum sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum.add_product(a[i], b[i]);
    std::vector<std::size_t> order(a.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(random_seed());
    for (const bool fused : {false, true}) {
      std::ranges::shuffle(order, random);
      float got = 0;
      for (const std::size_t i : order) got = fused ? std::fma(a[i], b[i], got) : got + a[i] * b[i];
      RC_ASSERT(sum.value().allows(got));
    }
  }));
}

TEST(Interval, IsAsWideAsTheRoundingsOfASum) {
  const Interval sum = sum_of({1, 2, -3.5F});
  EXPECT_TRUE(sum.allows(-0.5F));
  EXPECT_FALSE(sum.allows(-0.5F + 2e-6F));
  EXPECT_FALSE(sum.allows(-0.5F - 2e-6F));
  EXPECT_FALSE(sum.allows(kNan));
  EXPECT_FALSE(sum_of({1e-40F}).allows(0));
}

TEST(Interval, InfinitiesDecideSums) {
  EXPECT_EQ(sum_of({1, kInfinity, 1e30F}), Interval::of(kInf));
  EXPECT_EQ(sum_of({1, -kInfinity}), Interval::of(-kInf));
  EXPECT_EQ(sum_of({kInfinity, -kInfinity}), Interval::no_number());
  EXPECT_EQ(sum_of({kInfinity, kNan}), Interval::no_number());
  EXPECT_EQ(sum_of({3e38F, 3e38F, -3e38F}), Interval::anything());  // infinite in one order and finite in another
  EXPECT_EQ(Interval::of(kInf) - Interval::of(kInf), Interval::no_number());
  EXPECT_EQ(Interval::of(kInf) + Interval::of(7), Interval::of(kInf));
  EXPECT_EQ((Interval{1, kInf} + Interval{-kInf, 1}), Interval::anything());
}

TEST(Interval, ZeroTimesInfinityIsNoNumber) {
  const Interval zero = Interval::of(0), infinity = Interval::of(kInf), small{0, 1e-7};
  EXPECT_EQ(zero * infinity, Interval::no_number());
  EXPECT_EQ(small * infinity, infinity.or_nan());
  EXPECT_EQ((Interval{1, kInf} * zero), zero.or_nan());
  EXPECT_EQ((Interval{-1e-7, 1e-7} * infinity), Interval::anything());
  EXPECT_EQ(zero * Interval::no_number(), Interval::no_number());
  EXPECT_TRUE((Interval::of(1e30) * Interval::of(1e30)).allows(kInfinity));
  EXPECT_FALSE((Interval::of(1e30) * Interval::of(1e30)).allows(-kInfinity));
}

TEST(Interval, HoldsCurvesBetweenItsEnds) {
  const Interval x{-2, 1};
  for (double at = -2; at <= 1; at += 0.125) {
    const double cubic = std::sqrt(2 / std::acos(-1.0)) * (at + 0.044715 * at * at * at);
    EXPECT_TRUE(gelu(x).allows(static_cast<float>(at / 2 * (1 + std::tanh(cubic)))));
    EXPECT_TRUE(sigmoid(x).allows(static_cast<float>(1 / (1 + std::exp(-at)))));
    EXPECT_TRUE(hyperbolic_tangent(x).allows(static_cast<float>(std::tanh(at))));
    EXPECT_TRUE(relu(x).allows(static_cast<float>(std::max(at, 0.0))));
  }
  EXPECT_FALSE(gelu(x).allows(-0.18F));
  EXPECT_FALSE(sigmoid(x).allows(0.11F));
  EXPECT_FALSE(hyperbolic_tangent(x).allows(0.77F));
  EXPECT_EQ(relu(Interval::of(-3)), Interval::of(0));
  EXPECT_EQ(relu(Interval::no_number()), Interval::no_number());
  EXPECT_EQ(sigmoid(Interval::no_number()), Interval::no_number());
}

TEST(Interval, HoldsTheSoftmaxOfScoresThatAreFarApart) {
  const Intervals weights = softmax({Interval::of(1e15), Interval::of(-1e15), Interval::of(1e15 - 1e9)});
  EXPECT_TRUE(weights[0].allows(1));
  EXPECT_TRUE(weights[1].allows(0));
  EXPECT_FALSE(weights[1].allows(1e-6F));
  EXPECT_FALSE(weights[0].allows(kNan));
  const Intervals blurred = softmax({{-10, 10}, Interval::of(0)});
  EXPECT_TRUE(blurred[0].allows(0.01F) && blurred[0].allows(0.99F));
  EXPECT_FALSE(blurred[0].allows(1.1F));
  EXPECT_EQ(softmax({Interval::of(kInf), Interval::of(0)})[1], Interval::no_number());
  EXPECT_EQ(softmax({Interval::of(-kInf), Interval::of(0)})[0], Interval::of(0));
}

struct Wrong {
  ConvProblem p{.C = 2, .K = 2, .H = 3, .W = 3};
  PlainTensors in{{{.name = "src", .dims = {1, 2, 3, 3}}, {.name = "weights", .dims = {2, 2, 1, 1}}}};
  PlainTensors out = unwritten({{.name = "dst", .dims = {1, 2, 3, 3}}});

  Wrong() {
    SownValues(Sown::nothing, 1).fill(in);
    in.at<float>("src")[4] = kNan;
    in.at<float>("src")[5] = kInfinity;
    in.at<float>("src")[6] = 1e15F;
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < 9; ++i) {
        out.at<float>("dst")[k * 9 + i] = in.at<float>("src")[i] * in.at<float>("weights")[2 * k] +
                                          in.at<float>("src")[9 + i] * in.at<float>("weights")[2 * k + 1];
      }
  }
  float& dst(int i) { return out.at<float>("dst")[i]; }
  std::string difference() const { return oracle::difference(out, conv_forward(p, in)); }
};

TEST(Outcome, ARightConvolutionHasNoDifference) { EXPECT_EQ(Wrong().difference(), ""); }

TEST(Outcome, EveryWrongElementIsFound) {
  for (int i = 0; i < 18; ++i) {
    Wrong wrong;
    float& x = wrong.dst(i);
    const float right = x;
    const bool finite = std::isfinite(right);
    const float off = std::max(std::fabs(right), 1.0F) * 1e-6F;
    for (const float value : {finite ? right + off : 3.0F, finite ? right - off : -3.0F, finite ? kNan : 0.0F,
                              std::isinf(right) ? -right : kInfinity, std::isnan(right) ? 1e38F : kNan}) {
      x = value;
      EXPECT_THAT(wrong.difference(), HasSubstr("1 of 18 elements of dst are wrong")) << i << " " << value;
    }
  }
}

TEST(Outcome, AnUnwrittenOutputIsFound) {
  Wrong wrong;
  std::ranges::fill(wrong.out.values<float>(0), kNan);
  EXPECT_THAT(wrong.difference(), HasSubstr("16 of 18"));  // all but those with NaN as the right value
  std::ranges::fill(wrong.out.values<float>(0), 0.0F);
  EXPECT_THAT(wrong.difference(), HasSubstr("18 of 18"));
}

TEST(Outcome, AnOutputWithoutOutcomesIsRefused) {
  const Wrong wrong;
  EXPECT_THROW(difference(wrong.out, {}), std::logic_error);
  EXPECT_THROW(difference(wrong.out, {{"dst", Intervals(17)}}), std::logic_error);
  EXPECT_THROW(difference(wrong.out, {{"dsrc", Intervals(18)}}), std::logic_error);
}

// A zero beside the image may be multiplied by an infinite weight or left out. Inside the image nothing is left open.
TEST(Outcome, PaddingTimesInfinityMayBeNaN) {
  const ConvProblem p{.C = 1, .K = 1, .H = 3, .W = 3, .R = 3, .S = 3, .pad_h = 1, .pad_w = 1};
  PlainTensors in({{.name = "src", .dims = {1, 1, 3, 3}}, {.name = "weights", .dims = {1, 1, 3, 3}}});
  std::ranges::fill(in.values<float>(0), 1.0F);
  std::ranges::fill(in.values<float>(1), 1.0F);
  in.at<float>("weights")[0] = kInfinity;
  const Intervals dst = conv_forward(p, in).front().elements;
  EXPECT_TRUE(dst[0].allows(kNan));
  EXPECT_TRUE(dst[0].allows(4));
  EXPECT_FALSE(dst[0].allows(5));
  EXPECT_EQ(dst[4], Interval::of(kInf));
}

}  // namespace
}  // namespace brickwork::oracle
