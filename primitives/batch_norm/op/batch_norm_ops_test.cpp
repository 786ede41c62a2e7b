#include "primitives/batch_norm/op/batch_norm_ops.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "primitives/op/test_data.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

constexpr double kEpsilon = BatchNormProblem::epsilon;

PlainTensors in_double(std::vector<TensorInfo> infos) { return PlainTensors(with_dtype(std::move(infos), DType::f64)); }

void set(PlainTensors& tensors, const char* name, const std::vector<double>& values) {
  std::ranges::copy(values, tensors.at<double>(name));
}

template <class Op>
PlainTensors defined(const BatchNormProblem& p, const PlainTensors& in) {
  PlainTensors out = in_double(Op::outputs(p));
  poison(out);
  Op::reference(p, in, out);
  return out;
}

template <class Op>
PlainTensors random_inputs(const BatchNormProblem& p, const std::string& seed) {
  PlainTensors in = in_double(Op::inputs(p));
  TestValues values(Fill::floats, Op::terms(p), seed);
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  return in;
}

TEST(BatchNormProblem, ReadsItsText) {
  const auto p = parse_problem<BatchNormProblem>("N2 C64 H56 residual+relu");
  EXPECT_EQ(to_string(p), "N2_C64_H56_W56_residual+relu");
  EXPECT_TRUE(p.relu() && p.residual());
  EXPECT_EQ(p.values(), 2 * 56 * 56);
  EXPECT_EQ(to_string(parse_problem<BatchNormProblem>("C3 H4 W5")), "N1_C3_H4_W5");
  EXPECT_EQ(size_columns(p).back(), (std::pair<std::string, std::string>("epilogue", "residual+relu")));
}

TEST(BatchNormProblem, RefusesImpossibleSizes) {
  EXPECT_NE(error_of<BatchNormProblem>("C0 H4").find("C is 0: it must be from 1"), std::string::npos);
  EXPECT_NE(error_of<BatchNormProblem>("C4").find("'C4' lacks H"), std::string::npos);
  EXPECT_NE(error_of<BatchNormProblem>("C4 H4 residual").find("none, relu or residual+relu"), std::string::npos);
  EXPECT_NE(error_of<BatchNormProblem>("C1048576 H1048576").find("src has 1 * 1048576 * 1048576 * 1048576 elements"),
            std::string::npos);
}

TEST(BatchNormForwardOp, AgreesWithAnExampleByHand) {
  const auto p = parse_problem<BatchNormProblem>("N2 C2 H1 W2");
  PlainTensors in = in_double(BatchNormForwardOp::inputs(p));
  set(in, "src", {1, 3, 10, 10, 5, 7, 10, 14});  // channel 0: 1 3 5 7, channel 1: 10 10 10 14
  set(in, "gamma", {2, 3});
  set(in, "beta", {100, 200});
  const PlainTensors out = defined<BatchNormForwardOp>(p, in);
  EXPECT_EQ(out.at<double>("mean")[0], 4);
  EXPECT_EQ(out.at<double>("mean")[1], 11);
  EXPECT_EQ(out.at<double>("variance")[0], 5);
  EXPECT_EQ(out.at<double>("variance")[1], 3);
  EXPECT_NEAR(out.at<double>("dst")[0], 100 - 2 * 3 / std::sqrt(5 + kEpsilon), 1e-12);
  EXPECT_NEAR(out.at<double>("dst")[7], 200 + 3 * 3 / std::sqrt(3 + kEpsilon), 1e-12);
}

TEST(BatchNormForwardOp, AgreesWithAnExampleWithEpilogueByHand) {
  const auto p = parse_problem<BatchNormProblem>("C1 H1 W2 residual+relu");
  PlainTensors in = in_double(BatchNormForwardOp::inputs(p));
  set(in, "src", {-1, 1});
  set(in, "gamma", {1});
  set(in, "beta", {0});
  set(in, "residual", {0.5, 0.5});
  const PlainTensors out = defined<BatchNormForwardOp>(p, in);
  EXPECT_EQ(out.at<double>("dst")[0], 0);
  EXPECT_NEAR(out.at<double>("dst")[1], 0.5 + 1 / std::sqrt(1 + kEpsilon), 1e-12);
}

TEST(BatchNormForwardOp, NaNReachesTheOutput) {
  const auto p = parse_problem<BatchNormProblem>("C2 H2 relu");
  PlainTensors in = random_inputs<BatchNormForwardOp>(p, "NaN");
  in.at<double>("src")[1] = std::nan("");
  const PlainTensors out = defined<BatchNormForwardOp>(p, in);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(out.at<double>("dst")[i]));
  for (int i = 4; i < 8; ++i) EXPECT_FALSE(std::isnan(out.at<double>("dst")[i]));
}

TEST(BatchNormInferenceOp, EqualsForwardWithItsStatistics) {
  const auto p = parse_problem<BatchNormProblem>("N3 C4 H5 W2 residual+relu");
  PlainTensors in = random_inputs<BatchNormInferenceOp>(p, "inference"),
               training = in_double(BatchNormForwardOp::inputs(p));
  for (const char* name : {"src", "gamma", "beta", "residual"}) {
    const auto& infos = training.infos();
    const auto size = std::ranges::find(infos, name, &TensorInfo::name)->size();
    std::copy_n(in.at<double>(name), size, training.at<double>(name));
  }
  const PlainTensors forward = defined<BatchNormForwardOp>(p, training);
  for (const char* name : {"mean", "variance"}) std::copy_n(forward.at<double>(name), p.C, in.at<double>(name));
  const PlainTensors inference = defined<BatchNormInferenceOp>(p, in);
  for (std::int64_t i = 0; i < p.elements(); ++i) {
    EXPECT_EQ(inference.at<double>("dst")[i], forward.at<double>("dst")[i]);
  }
}

// The sum of ddst * dst; backward computes its gradients.
double loss(const BatchNormProblem& p, const PlainTensors& backward_in) {
  PlainTensors in = in_double(BatchNormForwardOp::inputs(p));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    std::ranges::copy(backward_in.values<double>(i), in.values<double>(i).begin());
  }
  const PlainTensors out = defined<BatchNormForwardOp>(p, in);
  const double *dst = out.at<double>("dst"), *ddst = backward_in.at<double>("ddst");
  return std::inner_product(dst, dst + p.elements(), ddst, 0.0);
}

// The largest difference between an input's gradient and the change of the loss with that input.
double gradient_error(const BatchNormProblem& p, PlainTensors& in, const char* input,
                      std::span<const double> gradient) {
  constexpr double kStep = 1e-5;
  double worst = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    double& x = in.at<double>(input)[i];
    const double before = x;
    x = before + kStep;
    const double above = loss(p, in);
    x = before - kStep;
    const double below = loss(p, in);
    x = before;
    worst = std::max(worst, std::abs((above - below) / (2 * kStep) - gradient[i]));
  }
  return worst;
}

TEST(BatchNormBackwardOp, GradientsEqualFiniteDifferences) {
  for (const char* text : {"N2 C3 H2 W3", "N1 C2 H4 W4 relu", "N3 C2 H3 W2 residual+relu"}) {
    const auto p = parse_problem<BatchNormProblem>(text);
    PlainTensors in = random_inputs<BatchNormBackwardOp>(p, text);
    BatchNormBackwardOp::settle(p, in);
    const PlainTensors out = defined<BatchNormBackwardOp>(p, in);
    EXPECT_LT(gradient_error(p, in, "src", out.values<double>(0)), 1e-6) << text;
    EXPECT_LT(gradient_error(p, in, "gamma", out.values<double>(1)), 1e-6) << text;
    EXPECT_LT(gradient_error(p, in, "beta", out.values<double>(2)), 1e-6) << text;
    if (p.residual()) {
      EXPECT_LT(gradient_error(p, in, "residual", out.values<double>(3)), 1e-6) << text;
    }
    EXPECT_GT(gradient_error(p, in, "beta", out.values<double>(1)), 1e-3) << "of another input";
  }
}

// No gradient reaches an element so close to the kink that rounding might put it on the other side.
TEST(BatchNormBackwardOp, NoGradientReachesValuesAtTheKink) {
  const auto p = parse_problem<BatchNormProblem>("C1 H1 W4 relu");
  PlainTensors in = in_double(BatchNormBackwardOp::inputs(p));
  set(in, "src", {-1, -1e-7, 1e-7, 1});
  set(in, "gamma", {1});
  set(in, "beta", {0});
  set(in, "ddst", {5, 6, 7, 8});
  BatchNormBackwardOp::settle(p, in);
  EXPECT_EQ(std::vector<double>(in.at<double>("ddst"), in.at<double>("ddst") + 4), (std::vector<double>{5, 0, 0, 8}));
}

TEST(BatchNormInferenceOp, VariancesOfTestDataAreAboveZero) {
  const auto p = parse_problem<BatchNormProblem>("C3 H1");
  PlainTensors in = in_double(BatchNormInferenceOp::inputs(p));
  set(in, "variance", {-1, 0, 0.5});
  BatchNormInferenceOp::settle(p, in);
  EXPECT_EQ(std::vector<double>(in.at<double>("variance"), in.at<double>("variance") + 3),
            (std::vector<double>{0.75, 0.25, 0.5}));
}

TEST(BatchNormOps, TestDataIsValidAndHasABound) {
  const auto p = parse_problem<BatchNormProblem>("N2 C5 H6 relu");
  const TestData inference = make_checkable_test_data<BatchNormInferenceOp>(p, Fill::integers);
  const float* variance = inference.inputs.at<float>("variance");
  EXPECT_TRUE(std::all_of(variance, variance + p.C, [](float x) { return x >= 0.25f; }));
  EXPECT_GT(inference.tolerance.value, 0);
  EXPECT_LT(make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).tolerance.value, 1e-3);
}

// dgamma and dbeta, sums of very many values, may have errors as large as the means in dsrc, which dsrc must not lose.
TEST(BatchNormBackwardOp, SumsOfManyValuesHaveTheirOwnBound) {
  const auto p = parse_problem<BatchNormProblem>("N28 C2 H56");
  const TestData data = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats);
  const auto verdict_with = [&](const char* output, double roundings) {
    PlainTensors out(BatchNormBackwardOp::outputs(p));
    test_data::repeat(data.expected, out);
    out.at<float>(output)[1] +=
        static_cast<float>(roundings * std::numeric_limits<float>::epsilon() * static_cast<double>(p.values()));
    return compare(out, data.expected, data.tolerance).status;
  };
  for (const char* sum : {"dgamma", "dbeta"}) {
    EXPECT_EQ(verdict_with(sum, 3), Status::ok) << sum;
    EXPECT_EQ(verdict_with(sum, 5), Status::failed) << sum;
  }
  EXPECT_EQ(verdict_with("dsrc", 0), Status::ok);
  EXPECT_EQ(verdict_with("dsrc", 0.25), Status::failed);
}

TEST(BatchNormOps, CountTheSweepsOfAPass) {
  const double tensor = 4.0 * 2 * 3 * 5 * 7;
  const auto bytes = [&](auto op, const char* epilogue) {
    return bytes_of<decltype(op)>(parse_problem<BatchNormProblem>(std::string("N2 C3 H5 W7 ") + epilogue)) / tensor;
  };
  EXPECT_EQ(bytes(BatchNormForwardOp(), "none"), 3);
  EXPECT_EQ(bytes(BatchNormForwardOp(), "relu"), 3 + 1 / 32.0);
  EXPECT_EQ(bytes(BatchNormForwardOp(), "residual+relu"), 4 + 1 / 32.0);
  EXPECT_EQ(bytes(BatchNormInferenceOp(), "none"), 2);
  EXPECT_EQ(bytes(BatchNormInferenceOp(), "residual+relu"), 3);
  EXPECT_EQ(bytes(BatchNormBackwardOp(), "none"), 5);
  EXPECT_EQ(bytes(BatchNormBackwardOp(), "relu"), 5 + 2 / 32.0);
  EXPECT_EQ(bytes(BatchNormBackwardOp(), "residual+relu"), 6 + 2 / 32.0);
}

}  // namespace
}  // namespace brickwork
