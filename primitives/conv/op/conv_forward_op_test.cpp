#include "primitives/conv/op/conv_forward_op.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "primitives/conv/op/testing/adjoint.hpp"

namespace brickwork {
namespace {

Values reference(const ConvProblem& p, const Values& src, const Values& weights, const Values& bias = {},
                 const Values& residual = {}) {
  PlainTensors in(with_dtype(ConvForwardOp::inputs(p), DType::f64)),
      out(with_dtype(ConvForwardOp::outputs(p), DType::f64));
  std::ranges::copy(src, in.values<double>(0).begin());
  std::ranges::copy(weights, in.values<double>(1).begin());
  std::ranges::copy(bias, in.values<double>(2).begin());
  std::ranges::copy(residual, in.values<double>(3).begin());
  std::ranges::fill(out.values<double>(0), -1e30);
  ConvForwardOp::reference(p, in, out);
  return {out.values<double>(0).begin(), out.values<double>(0).end()};
}

// The convolution in scatter form: every element of src adds to each element of dst that reads it.
Values scattered(const ConvProblem& p, const Values& src, const Values& weights) {
  Values dst(p.N * p.K * p.P() * p.Q());
  const std::int64_t P = p.P(), Q = p.Q();
  for (std::int64_t n = 0; n < p.N; ++n) {
    for (std::int64_t c = 0; c < p.C; ++c) {
      for (std::int64_t h = 0; h < p.H; ++h) {
        for (std::int64_t w = 0; w < p.W; ++w) {
          const double x = src[((n * p.C + c) * p.H + h) * p.W + w];
          for (std::int64_t r = 0; r < p.R; ++r) {
            for (std::int64_t s = 0; s < p.S; ++s) {
              const std::int64_t row = h + p.pad_h - r, column = w + p.pad_w - s;
              if (row < 0 || column < 0 || row % p.stride_h != 0 || column % p.stride_w != 0) continue;
              if (row / p.stride_h >= P || column / p.stride_w >= Q) continue;
              for (std::int64_t k = 0; k < p.K; ++k) {
                dst[((n * p.K + k) * P + row / p.stride_h) * Q + column / p.stride_w] +=
                    x * weights[((k * p.C + c) * p.R + r) * p.S + s];
              }
            }
          }
        }
      }
    }
  }
  return dst;
}

TEST(ConvForwardOp, PointwiseMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C2 K2 H1 W2");
  // dst[k][q] = src[0][q] * w[k][0] + src[1][q] * w[k][1]
  EXPECT_EQ(reference(p, {1, 2, 3, 4}, {10, 1, 100, -1}), (Values{13, 24, 97, 196}));
}

TEST(ConvForwardOp, PaddedThreeByThreeMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C1 K1 H2 R3 ph1");
  // The centre tap is 5; every output also reads its three neighbours by other taps.
  EXPECT_EQ(reference(p, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
            (Values{1 * 5 + 2 * 6 + 3 * 8 + 4 * 9, 1 * 4 + 2 * 5 + 3 * 7 + 4 * 8, 1 * 2 + 2 * 3 + 3 * 5 + 4 * 6,
                    1 * 1 + 2 * 2 + 3 * 4 + 4 * 5}));
}

TEST(ConvForwardOp, StrideMatchesValuesByHand) {
  const auto p = parse_problem<ConvProblem>("C1 K1 H3 W5 sh2 sw3");
  Values src(15);
  std::iota(src.begin(), src.end(), 0.0);
  EXPECT_EQ(reference(p, src, {2}), (Values{0, 6, 20, 26}));
}

TEST(ConvForwardOp, EpilogueIsBiasThenResidualThenRelu) {
  auto p = parse_problem<ConvProblem>("C1 K2 H1 W2 bias+residual+relu");
  const Values src{1, -1}, weights{1, 2}, bias{10, -10}, residual{-20, 20, 9, 30};
  EXPECT_EQ(reference(p, src, weights, bias, residual), (Values{0, 29, 1, 18}));
  p.epilogue = {.bias = true};
  EXPECT_EQ(reference(p, src, weights, bias), (Values{11, 9, -8, -12}));
  p.epilogue = {.residual = true};
  EXPECT_EQ(reference(p, src, weights, {}, residual), (Values{-19, 19, 11, 28}));
  p.epilogue = {.activation = Activation::relu};
  EXPECT_EQ(reference(p, src, weights), (Values{1, 0, 2, 0}));
}

TEST(ConvForwardOp, AccumulatesInDouble) {
  // A sum in f32 would lose the 1.
  EXPECT_EQ(reference(parse_problem<ConvProblem>("C3 K1 H1"), {1e8, 1, -1e8}, {1, 1, 1}), (Values{1}));
}

TEST(ConvForwardOp, EqualsTheScatterFormOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    ConvProblem p;
    p.N = in(1, 3);
    p.C = in(1, 5);
    p.K = in(1, 5);
    p.R = in(1, 7);
    p.S = in(1, 7);
    p.pad_h = in(0, 8);  // may exceed R - 1: such outputs read only padding
    p.pad_w = in(0, 8);
    p.H = in(std::max<std::int64_t>(1, p.R - 2 * p.pad_h), 12);
    p.W = in(std::max<std::int64_t>(1, p.S - 2 * p.pad_w), 12);
    p.stride_h = in(1, 4);
    p.stride_w = in(1, 4);
    p.validate();
    const auto values = [](std::int64_t size) {
      return *rc::gen::container<Values>(size, rc::gen::map(rc::gen::inRange(-4, 5), [](int x) { return double(x); }));
    };
    const Values src = values(p.N * p.C * p.H * p.W), weights = values(p.K * p.C * p.R * p.S);
    RC_ASSERT(reference(p, src, weights) == scattered(p, src, weights));
  }));
}

TEST(ConvForwardOp, DiffersFromTheScatterFormWithOtherWeights) {
  const auto p = parse_problem<ConvProblem>("N2 C3 K4 H5 R3 sh2 ph1");
  const Values src(2 * 3 * 5 * 5, 1.0), weights(4 * 3 * 3 * 3, 1.0);
  Values other = weights;
  other.back() += 1;
  EXPECT_EQ(reference(p, src, weights), scattered(p, src, weights));
  EXPECT_NE(reference(p, src, weights), scattered(p, src, other));
}

}  // namespace
}  // namespace brickwork
