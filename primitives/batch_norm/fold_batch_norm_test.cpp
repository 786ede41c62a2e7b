#include "batch_norm/fold_batch_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "batch_norm_ops.hpp"
#include "conv_forward_op.hpp"
#include "test_data.hpp"

namespace brickwork {
namespace {

PlainTensors doubled(const PlainTensors& tensors, const std::vector<TensorInfo>& infos) {
  PlainTensors out(with_dtype(infos, DType::f64));
  for (std::size_t i = 0; i < infos.size(); ++i)
    std::ranges::copy(tensors.values<float>(i), out.values<double>(i).begin());
  return out;
}

// The largest difference between the convolution with folded weights and the two layers one after the other, both in
// double.
double folding_error(const char* conv, double skewed_mean = 0) {
  const auto p = parse_problem<ConvProblem>(conv);
  const BatchNormProblem q{.N = p.N, .C = p.K, .H = p.P(), .W = p.Q()};
  const TestData layers = make_checkable_test_data<ConvForwardOp>(p, Fill::floats),
                 norms = make_checkable_test_data<BatchNormInferenceOp>(q, Fill::floats);

  PlainTensors dst(with_dtype(ConvForwardOp::outputs(p), DType::f64)),
      expected(with_dtype(BatchNormInferenceOp::outputs(q), DType::f64));
  ConvForwardOp::reference(p, doubled(layers.inputs, ConvForwardOp::inputs(p)), dst);
  PlainTensors norm_in = doubled(norms.inputs, BatchNormInferenceOp::inputs(q));
  std::ranges::copy(dst.values<double>(0), norm_in.at<double>("src"));
  BatchNormInferenceOp::reference(q, norm_in, expected);

  ConvProblem folded_problem = p;
  folded_problem.epilogue.bias = true;
  PlainTensors folded(ConvForwardOp::inputs(folded_problem));
  std::ranges::copy(layers.inputs.values<float>(0), folded.at<float>("src"));
  std::vector<float> mean(norms.inputs.at<float>("mean"), norms.inputs.at<float>("mean") + p.K);
  for (float& x : mean) x += static_cast<float>(skewed_mean);
  fold_batch_norm(p.K, p.C * p.R * p.S, layers.inputs.at<float>("weights"), norms.inputs.at<float>("gamma"),
                  norms.inputs.at<float>("beta"), mean.data(), norms.inputs.at<float>("variance"),
                  folded.at<float>("weights"), folded.at<float>("bias"));
  ConvForwardOp::reference(folded_problem, doubled(folded, ConvForwardOp::inputs(folded_problem)), dst);

  double worst = 0;
  for (std::size_t i = 0; i < expected.values<double>(0).size(); ++i) {
    worst = std::max(worst, std::abs(dst.values<double>(0)[i] - expected.values<double>(0)[i]));
  }
  return worst;
}

TEST(FoldBatchNorm, IsTheConvolutionWithItsNormalisation) {
  for (const char* conv : {"N2 C5 K7 H6 R3 ph1", "C3 K16 H9 R7 sh2 ph3", "N3 C20 K1 H4"}) {
    EXPECT_LT(folding_error(conv), 1e-5) << conv;
  }
  EXPECT_GT(folding_error("N2 C5 K7 H6 R3 ph1", 0.01), 1e-4) << "of another mean";
}

TEST(FoldBatchNorm, InPlaceAndByHand) {
  float weights[] = {1, 2, 3, 4};
  const float gamma[] = {2, -1}, beta[] = {10, 20}, mean[] = {3, 4}, variance[] = {4, 0.25};
  float bias[2];
  fold_batch_norm(2, 2, weights, gamma, beta, mean, variance, weights, bias);
  const double first = 2 / std::sqrt(4 + 1e-5), second = -1 / std::sqrt(0.25 + 1e-5);
  EXPECT_FLOAT_EQ(weights[1], static_cast<float>(2 * first));
  EXPECT_FLOAT_EQ(weights[2], static_cast<float>(3 * second));
  EXPECT_FLOAT_EQ(bias[0], static_cast<float>(10 - 3 * first));
  EXPECT_FLOAT_EQ(bias[1], static_cast<float>(20 - 4 * second));
}

}  // namespace
}  // namespace brickwork
