#include "primitives/pool/op/pool_ops.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "primitives/op/test_data.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

using Plane = std::vector<double>;

template <class Op>
Plane pooled(const char* text, const std::vector<Plane>& inputs) {
  const auto p = parse_problem<PoolProblem>(text);
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  for (std::size_t i = 0; i < inputs.size(); ++i) std::ranges::copy(inputs[i], in.values<double>(i).begin());
  poison(out);
  Op::reference(p, in, out);
  return {out.values<double>(0).begin(), out.values<double>(0).end()};
}

Plane forward_pooled(const char* text, const Plane& src) { return pooled<PoolForwardOp>(text, {src}); }

TEST(PoolProblem, ReadsItsText) {
  const auto p = parse_problem<PoolProblem>("N28 C64 H112 R3 sh2 ph1");
  EXPECT_EQ(to_string(p), "N28_C64_H112_W112_R3_S3_sh2_sw2_ph1_pw1");
  EXPECT_EQ(p.P(), 56);
  EXPECT_EQ(to_string(parse_problem<PoolProblem>("C3 H7 W5 R7 S5 average-padded")),
            "N1_C3_H7_W5_R7_S5_sh1_sw1_ph0_pw0_average-padded");
  EXPECT_EQ(parse_problem<PoolProblem>("C3 H7 R7 average").kind, PoolKind::average);
  EXPECT_EQ(parse_problem<PoolProblem>("C3 H7 W5 R7 S2").Q(), 4);
}

TEST(PoolProblem, RefusesImpossibleSizes) {
  const auto expect_error = [](const char* text, const char* part) {
    EXPECT_NE(error_of<PoolProblem>(text).find(part), std::string::npos) << error_of<PoolProblem>(text);
  };
  expect_error("C3 H4", "'C3 H4' lacks R");
  expect_error("C3 H4 R2 median", "or a kind: max, average or average-padded");
  expect_error("C3 H4 R5", "R is 5: it must not exceed the padded image, H + 2 * 0 = 4");
  expect_error("C3 H9 W2 R3", "S is 3: it must not exceed the padded image, W + 2 * 0 = 2");
  expect_error("C3 H4 R2 ph2", "ph is 2: it must be below R = 2, or the first window would hold nothing but padding");
  expect_error("C3 H4 R3 S1 ph1",
               "pw is 1: it must be below S = 1, or the first window would hold nothing but padding");
  expect_error("C1048576 H1048576 R1", "src has 1 * 1048576 * 1048576 * 1048576 elements");
  expect_error("C1 H65536 R65536", "a window has 65536 * 65536 taps: at most 2^31 - 1");
}

// The definitions rely on it: every window of a valid problem holds a pixel of the image.
TEST(PoolProblem, NoWindowIsEmpty) {
  EXPECT_TRUE(rc::check([] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    PoolProblem p{.C = 1, .H = in(1, 9), .W = 1, .R = in(1, 6), .S = 1, .stride_h = in(1, 7), .pad_h = in(0, 6)};
    RC_PRE(p.R <= p.H + 2 * p.pad_h);
    bool empty = false;
    for (std::int64_t row = 0; row < p.P(); ++row) {
      const std::int64_t begin = row * p.stride_h - p.pad_h;
      empty = empty || begin >= p.H || begin + p.R <= 0;
    }
    const std::string error = error_of<PoolProblem>(to_string(p));
    RC_ASSERT(empty == (error.find("nothing but padding") != std::string::npos));
    RC_ASSERT(empty || error.empty());
  }));
}

TEST(PoolForwardOp, AgreesWithAnExampleByHand) {
  const Plane src{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(forward_pooled("C1 H3 R2", src), (Plane{5, 6, 8, 9}));
  EXPECT_EQ(forward_pooled("C1 H3 R3 sh2 ph1", src), (Plane{5, 6, 8, 9}));
  EXPECT_EQ(forward_pooled("C1 H3 R2 average", src), (Plane{3, 4, 6, 7}));
  EXPECT_EQ(forward_pooled("C1 H3 R3 sh2 ph1 average", src), (Plane{3, 4, 6, 7}));
  EXPECT_EQ(forward_pooled("C1 H3 R2 sh2 ph1 average-padded", src), (Plane{0.25, 1.25, 2.75, 7}));
  EXPECT_EQ(forward_pooled("C1 H3 R3 average", src), (Plane{5}));
  EXPECT_EQ(forward_pooled("C1 H3 R1 S3 sh2", src), (Plane{3, 9}));
}

TEST(PoolForwardOp, TheLargestNegativeValueIsNotThePadding) {
  EXPECT_EQ(forward_pooled("C1 H1 R3 ph1", {-5}), Plane{-5});
  EXPECT_EQ(forward_pooled("C1 H1 R3 ph1", {-INFINITY}), Plane{-INFINITY});
}

TEST(PoolForwardOp, NaNIsTheLargest) {
  for (const char* text : {"C1 H1 W3 R1 S2", "C1 H1 W3 R1 S2 average"}) {
    const Plane dst = forward_pooled(text, {1, 2, NAN});
    EXPECT_FALSE(std::isnan(dst[0]));
    EXPECT_TRUE(std::isnan(dst[1]));
  }
  EXPECT_TRUE(std::isnan(forward_pooled("C1 H1 W2 R1 S2", {NAN, 2})[0]));
}

TEST(PoolBackwardOp, AgreesWithAnExampleByHand) {
  const Plane src{1, 2, 9, 4, 5, 6, 7, 8, 3};
  EXPECT_EQ(pooled<PoolBackwardOp>("C1 H3 R2", {src, {1, 10, 100, 1000}}), (Plane{0, 0, 10, 0, 1, 0, 0, 1100, 0}));
  EXPECT_EQ(pooled<PoolBackwardOp>("C1 H3 R2 average", {{}, {4, 8, 12, 16}}), (Plane{1, 3, 2, 4, 10, 6, 3, 7, 4}));
  EXPECT_EQ(pooled<PoolBackwardOp>("C1 H1 R3 ph1 average-padded", {{}, {18}}), Plane{2});
  EXPECT_EQ(pooled<PoolBackwardOp>("C1 H1 W3 R1 S3", {{7, 7, 7}, {1}}), (Plane{1, 0, 0})) << "the first of equals";
}

// <ddst, forward(src)> == <dsrc, src>. This holds for max pooling, too, which is linear as long as no two taps swap
// places.
TEST(PoolBackwardOp, IsTheAdjointOfForward) {
  for (const char* text : {"N2 C3 H7 W5 R3 sh2 ph1", "N2 C3 H7 W5 R3 S2 sh1 sw2 ph1 average",
                           "N1 C2 H6 R4 sh3 ph2 average-padded", "C4 H7 R7 average", "C1 H9 R2 sh3"}) {
    const auto p = parse_problem<PoolProblem>(text);
    const TestData t = make_checkable_test_data<PoolForwardOp>(p, Fill::floats);
    const Plane src(t.inputs.values<float>(0).begin(), t.inputs.values<float>(0).end());
    const Plane dst = forward_pooled(text, src);
    Plane ddst(dst.size());
    std::iota(ddst.begin(), ddst.end(), 1.0);
    const Plane dsrc = pooled<PoolBackwardOp>(text, {p.kind == PoolKind::max ? src : Plane(), ddst});
    const auto dot = [](const Plane& a, const Plane& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    EXPECT_NEAR(dot(ddst, dst), dot(dsrc, src), 1e-9) << text;
    EXPECT_GT(std::abs(dot(dst, dst) - dot(dsrc, src)), 1e-3) << text;
  }
}

TEST(PoolOps, CountTensorsAndTaps) {
  const auto p = parse_problem<PoolProblem>("N2 C3 H8 W6 R2 S3 sh2 sw3"),
             q = parse_problem<PoolProblem>(to_string(p) + " average"),
             most_taps_of_a_byte = parse_problem<PoolProblem>("C1 H16 R16"),
             more = parse_problem<PoolProblem>("C1 H17 R17");
  EXPECT_EQ(bytes_of<PoolForwardOp>(p), 2.0 * 3 * (4 * 8 * 6 + (4 + 1) * 4 * 2));
  EXPECT_EQ(bytes_of<PoolForwardOp>(most_taps_of_a_byte), 4.0 * 16 * 16 + 4 + 1);
  EXPECT_EQ(bytes_of<PoolForwardOp>(more), 4.0 * 17 * 17 + 4 + 4);
  EXPECT_EQ(bytes_of<PoolBackwardOp>(p), bytes_of<PoolForwardOp>(p));
  EXPECT_EQ(bytes_of<PoolForwardOp>(q), 4.0 * 2 * 3 * (8 * 6 + 4 * 2));
  EXPECT_EQ(PoolForwardOp::flops(p), 2.0 * 3 * 4 * 2 * 2 * 3);
  EXPECT_EQ(PoolForwardOp::bound(p), 0);
}

}  // namespace
}  // namespace brickwork
