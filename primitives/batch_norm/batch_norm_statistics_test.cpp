// Tests of batch normalisation on values for which f32 sums, or an f32 mean, would lose the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "primitives/batch_norm/op/batch_norm_ops.hpp"
#include "primitives/batch_norm/testing/plain_batch_norm.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

template <class Op>
PlainTensors norm_definition(const BatchNormProblem& p, const PlainTensors& in) {
  PlainTensors exact(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  for (std::size_t i = 0; i < exact.infos().size(); ++i) {
    std::ranges::copy(in.values<float>(i), exact.values<double>(i).begin());
  }
  Op::reference(p, exact, out);
  return out;
}

// The inputs of backward, which include those of the other passes. Values have about this mean and deviation; channels
// differ.
PlainTensors norm_inputs(const BatchNormProblem& p, double mean, double deviation) {
  PlainTensors in = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).inputs;
  for (std::int64_t i = 0; i < p.elements(); ++i) {
    float& x = in.at<float>("src")[i];
    x = static_cast<float>(mean * (1 + 0.01 * static_cast<double>(i / (p.H * p.W) % p.C)) + 2 * deviation * x);
  }
  return in;
}

struct Far {
  double mean, deviation;
};
constexpr Far kFar[] = {{1e4, 0.01}, {1e6, 1},   {-1e6, 1}, {3e7, 10}, {1e15, 3e8},  {1, 1},
                        {0, 1e-22},  {-1, 1e-6}, {0, 1e15}, {0, 1e18}, {1e20, 1e18}, {0, 1e21}};

void PrintTo(const Far& far, std::ostream* to) { *to << "mean " << far.mean << " deviation " << far.deviation; }

// The largest error of a tensor, where size(c) is the size of a value in channel c.
template <class Size>
double worst_error(const PlainTensors& found, const PlainTensors& right, const char* name, const BatchNormProblem& p,
                   const Size& size) {
  const auto& infos = found.infos();
  const std::int64_t values = std::ranges::find(infos, name, &TensorInfo::name)->size();
  double worst = 0;
  for (std::int64_t i = 0; i < values; ++i) {
    const std::int64_t c = values == p.C ? i : i / (p.H * p.W) % p.C;
    const double error = std::abs(found.at<float>(name)[i] - right.at<double>(name)[i]) / size(c);
    if (!(error <= worst)) worst = std::isnan(error) ? kInfinite : error;
  }
  return worst;
}

class BatchNormFar : public testing::TestWithParam<Far> {};

TEST_P(BatchNormFar, PassesEqualTheDefinitions) {
  const auto [mean, deviation] = GetParam();
  for (const std::int64_t bc : {1, 4, 20}) {
    const BatchNormProblem p{.N = 3, .C = 20, .H = 24, .W = 32};
    const PlainTensors in = norm_inputs(p, mean, deviation);
    PlainBatchNorm norm(p, {.bc = bc, .blocks = 2});
    const PlainTensors forward = norm.forward(in), backward = norm.backward(in),
                       right = norm_definition<BatchNormForwardOp>(p, in),
                       gradients = norm_definition<BatchNormBackwardOp>(p, in);
    const double *const variance = right.at<double>("variance"), *const center = right.at<double>("mean");
    for (std::int64_t c = 0; c < p.C; ++c) {
      const double found = norm.left().mean[static_cast<std::size_t>(c)];
      EXPECT_NEAR(found, center[c], 1e-5 * std::sqrt(variance[c]) + 1e-12 * std::abs(center[c])) << c << " bc " << bc;
      EXPECT_NEAR(norm.left().variance[static_cast<std::size_t>(c)], variance[c], 1e-5 * variance[c] + 1e-26) << c;
    }
    const auto one = [](std::int64_t) { return 1.0; };
    const auto sum = [&](std::int64_t) { return std::sqrt(static_cast<double>(p.values())); };
    const auto scale = [&](std::int64_t c) {
      return std::abs(in.at<float>("gamma")[c]) / std::sqrt(variance[c] + BatchNormProblem::epsilon);
    };
    EXPECT_LT(worst_error(forward, right, "dst", p, one), 1e-5) << "bc " << bc;
    EXPECT_LT(worst_error(backward, gradients, "dgamma", p, sum), 1e-5) << "bc " << bc;
    EXPECT_LT(worst_error(backward, gradients, "dbeta", p, sum), 1e-5) << "bc " << bc;
    EXPECT_LT(worst_error(backward, gradients, "dsrc", p, scale), 1e-5) << "bc " << bc;
  }
}

// Here the definition gets the f32 mean, too, which is as close to the true mean as f32 allows.
TEST_P(BatchNormFar, InferenceEqualsTheDefinition) {
  const auto [mean, deviation] = GetParam();
  const BatchNormProblem p{.N = 2, .C = 9, .H = 5, .W = 7};
  PlainTensors in(BatchNormInferenceOp::inputs(p));
  const PlainTensors values = norm_inputs(p, mean, deviation);
  for (const char* name : {"gamma", "beta"}) std::copy_n(values.at<float>(name), p.C, in.at<float>(name));
  std::copy_n(values.at<float>("src"), p.elements(), in.at<float>("src"));
  std::fill_n(in.at<float>("variance"), p.C, static_cast<float>(std::min(deviation * deviation, 3e38)));
  for (std::int64_t c = 0; c < p.C; ++c) in.at<float>("mean")[c] = in.at<float>("src")[c * 35];
  const PlainTensors dst = PlainBatchNorm(p, {.bc = 4, .blocks = 1}).infer(in),
                     right = norm_definition<BatchNormInferenceOp>(p, in);
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.elements()); ++i) {
    const double expected = right.at<double>("dst")[i];
    EXPECT_NEAR(dst.at<float>("dst")[i], expected, 1e-5 * (1 + std::abs(expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(Values, BatchNormFar, testing::ValuesIn(kFar));

TEST(BatchNormStatistics, AreRightIfTheFirstPixelsAreFarOff) {
  const BatchNormProblem p{.C = 4, .H = 16, .W = 64};
  PlainTensors in(BatchNormForwardOp::inputs(p));
  std::ranges::fill(in.values<float>(1), 1.0f);
  for (std::int64_t i = 0; i < p.elements(); ++i) {
    in.at<float>("src")[i] = i % (16 * 64) < 8 ? 5000.0f : static_cast<float>(i % 7);
  }
  const PlainTensors expected = norm_definition<BatchNormForwardOp>(p, in),
                     out = PlainBatchNorm(p, {.bc = 4, .blocks = 1}).forward(in);
  for (std::int64_t c = 0; c < p.C; ++c) {
    const double variance = expected.at<double>("variance")[c];
    EXPECT_NEAR(out.at<float>("variance")[c], variance, 1e-4 * variance);
    EXPECT_NEAR(out.at<float>("dst")[c * 1024 + 100], expected.at<double>("dst")[c * 1024 + 100], 1e-5);
  }
}

// At any distance from 0, in any number of chunks and pixels.
TEST(BatchNormStatistics, EqualValuesHaveNoVariance) {
  for (const char* text : {"C18 H1 W3", "N5 C18 H1 W7", "N3 C18 H50 W59"})
    for (const float value : {0.1f, -1e6f / 3, 1e15f, std::numeric_limits<float>::max()}) {
      const auto p = parse_problem<BatchNormProblem>(text);
      PlainTensors in = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).inputs;
      std::ranges::fill(in.values<float>(0), value);
      PlainBatchNorm norm(p, {.bc = 17, .blocks = 1});
      const PlainTensors forward = norm.forward(in), backward = norm.backward(in),
                         gradients = norm_definition<BatchNormBackwardOp>(p, in);
      for (std::int64_t i = 0; i < p.elements(); ++i) {
        const std::int64_t c = i / (p.H * p.W) % p.C;
        ASSERT_EQ(norm.left().mean[static_cast<std::size_t>(c)], value);
        ASSERT_EQ(norm.left().variance[static_cast<std::size_t>(c)], 0);
        ASSERT_EQ(forward.at<float>("dst")[i], in.at<float>("beta")[c]) << value;
        ASSERT_NEAR(backward.at<float>("dsrc")[i], gradients.at<double>("dsrc")[i], 1e-3) << value;
      }
    }
}

TEST(BatchNormStatistics, OneValuePerChannelHasNoVariance) {
  const BatchNormProblem p{.C = 3, .H = 1, .W = 1};
  PlainTensors in(BatchNormBackwardOp::inputs(p));
  for (std::size_t i = 0; i < in.infos().size(); ++i) std::ranges::fill(in.values<float>(i), 2.0f);
  PlainBatchNorm norm(p, {.bc = 2, .blocks = 1});
  const PlainTensors forward = norm.forward(in), backward = norm.backward(in);
  for (std::int64_t c = 0; c < p.C; ++c) {
    EXPECT_EQ(forward.at<float>("mean")[c], 2);
    EXPECT_EQ(forward.at<float>("variance")[c], 0);
    EXPECT_EQ(forward.at<float>("dst")[c], 2);  // beta
    EXPECT_EQ(backward.at<float>("dsrc")[c], 0);
    EXPECT_EQ(backward.at<float>("dgamma")[c], 0);
    EXPECT_EQ(backward.at<float>("dbeta")[c], 2);
  }
}

// As the header says: dst and the gradients are those of an infinite variance.
TEST(BatchNormStatistics, OverflowToAnInfiniteVariance) {
  const BatchNormProblem p{.C = 5, .H = 8, .W = 8};
  PlainTensors in = norm_inputs(p, 0, 1);
  for (std::int64_t i = 0; i < 64; ++i) in.at<float>("src")[2 * 64 + i] = i % 2 == 0 ? -1e30f : 1e30f;
  PlainBatchNorm norm(p, {.bc = 4, .blocks = 1});
  const PlainTensors forward = norm.forward(in), backward = norm.backward(in);
  for (std::int64_t c = 0; c < p.C; ++c) {
    EXPECT_EQ(forward.at<float>("variance")[c] == kInfinite, c == 2);
    EXPECT_EQ(forward.at<float>("dst")[c * 64] == in.at<float>("beta")[c], c == 2);
    EXPECT_EQ(backward.at<float>("dsrc")[c * 64] == 0, c == 2);
  }
}

bool same_value(float x, double y) { return std::isnan(x) ? std::isnan(y) : x == static_cast<float>(y); }

// NaN or infinity is among the first pixels of a chunk, which decide `about`, or later; in one chunk or several.
TEST(BatchNormStatistics, InfinitiesAndNaNGiveWhatTheDefinitionGives) {
  const BatchNormProblem p{.N = 2, .C = 5, .H = 4, .W = 6};
  const std::int64_t channel = 2 * 24, image = 5 * 24;
  struct Sown {
    std::int64_t at;
    float value;
  };
  const std::vector<Sown> cases[] = {
      {{0, kNaN}},
      {{20, kNaN}},
      {{image + 23, kNaN}},
      {{0, kInfinite}},
      {{1, -kInfinite}},
      {{23, kInfinite}},
      {{0, kInfinite}, {image, kInfinite}},
      {{0, kInfinite}, {image, -kInfinite}},
      {{3, kInfinite}, {4, -kInfinite}},
      {{9, kInfinite}, {10, kNaN}},
  };
  for (std::size_t which = 0; which < std::size(cases); ++which) {
    PlainTensors in = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).inputs;
    for (const auto& [at, value] : cases[which]) in.at<float>("src")[channel + at] = value;
    PlainBatchNorm norm(p, {.bc = 4, .blocks = 2});
    const PlainTensors forward = norm.forward(in), backward = norm.backward(in),
                       right = norm_definition<BatchNormForwardOp>(p, in);
    EXPECT_TRUE(same_value(forward.at<float>("mean")[2], right.at<double>("mean")[2])) << "case " << which;
    for (std::int64_t c = 0; c < p.C; ++c) EXPECT_EQ(std::isnan(forward.at<float>("variance")[c]), c == 2) << which;
    for (std::int64_t i = 0; i < p.elements(); ++i) {
      EXPECT_EQ(std::isnan(forward.at<float>("dst")[i]), i / 24 % p.C == 2) << which;
      EXPECT_EQ(std::isnan(backward.at<float>("dsrc")[i]), i / 24 % p.C == 2) << which;
    }
  }
}

TEST(BatchNormStatistics, NaNReachesOnlyItsChannel) {
  for (const NormEpilogue epilogue : {NormEpilogue::none, NormEpilogue::relu, NormEpilogue::residual_relu}) {
    const BatchNormProblem p{.N = 2, .C = 5, .H = 4, .W = 6, .epilogue = epilogue};
    PlainTensors in = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).inputs;
    in.at<float>("src")[2 * 24 + 7] = kNaN;
    PlainBatchNorm norm(p, {.bc = 4, .blocks = 2});
    const PlainTensors forward = norm.forward(in), backward = norm.backward(in);
    for (std::int64_t i = 0; i < p.elements(); ++i) {
      const bool of_its_channel = i / 24 % p.C == 2;
      EXPECT_EQ(std::isnan(forward.at<float>("dst")[i]), of_its_channel);
      EXPECT_EQ(std::isnan(backward.at<float>("dsrc")[i]), of_its_channel);
    }
  }
}

}  // namespace
}  // namespace brickwork
