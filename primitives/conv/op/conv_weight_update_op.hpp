// Convolution's weight update as an operation: tensors, FLOPs and the reference definition.
#pragma once
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// The gradient of the weights from the gradient of dst:
//   dweights[k][c][r][s] = sum over n, p, q
//                          of ddst[n][k][p][q] * src[n][c][p*stride_h + r - pad_h][q*stride_w + s - pad_w]
// with zeros outside src. If the epilogue has a bias, also its gradient: dbias[k] = sum over n, p, q of
// ddst[n][k][p][q]. Tensors: src [N][C][H][W], ddst [N][K][P][Q]; dweights [K][C][R][S] and dbias [K], overwritten.
struct ConvWeightUpdateOp {
  using Problem = ConvProblem;
  static constexpr std::string_view primitive = "conv", pass = "weight-update";
  static constexpr std::int64_t ConvProblem::*images = &ConvProblem::N;
  static constexpr bool sum_over_images = true;
  static constexpr bool sum_of_products = true;

  static constexpr EpilogueSteps steps{.bias = true};

  static void check_taken(const ConvProblem& p) { require_steps(p.epilogue, steps, pass); }
  static std::vector<TensorInfo> inputs(const ConvProblem&);
  static std::vector<TensorInfo> outputs(const ConvProblem&);
  static std::int64_t terms(const ConvProblem& p) { return p.N * p.P() * p.Q(); }
  static double flops(const ConvProblem& p) { return p.flops(); }
  static double least_flops(const ConvProblem& p) { return p.least_flops(); }

  // Runs on the host's threads; shares no code with the drivers that it checks.
  static void reference(const ConvProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
