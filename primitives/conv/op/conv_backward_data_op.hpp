// Convolution's backward pass by data as an operation: tensors, FLOPs and the reference definition.
#pragma once
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// The gradient of src from the gradient of dst. The problem's sizes are those of the forward pass:
//   dsrc[n][c][h][w] = sum over k, r, s with p*stride_h + r - pad_h == h and q*stride_w + s - pad_w == w
//                      of ddst[n][k][p][q] * weights[k][c][r][s],
// and then the epilogue: + residual (the gradient by another path), times the derivative of the activation that made
// src. Tensors: ddst [N][K][P][Q], weights [K][C][R][S]; residual [N][C][H][W] and `at` [N][C][H][W], at which the
// derivative is taken, if the epilogue has them; dsrc [N][C][H][W]. Pixels that no output reads are the epilogue of 0.
struct ConvBackwardDataOp {
  using Problem = ConvProblem;
  static constexpr std::string_view primitive = "conv", pass = "backward-data";
  static constexpr std::int64_t ConvProblem::*images = &ConvProblem::N;
  static constexpr bool sum_of_products = true;

  static constexpr EpilogueSteps steps{.residual = true, .derivative = true};

  static void check_taken(const ConvProblem& p) { require_steps(p.epilogue, steps, pass); }
  static bool curved(const ConvProblem& p) { return is_curve(p.epilogue.activation); }
  static std::vector<TensorInfo> inputs(const ConvProblem&);
  static std::vector<TensorInfo> outputs(const ConvProblem&);
  // With a stride only every stride-th tap reads a given pixel.
  static std::int64_t terms(const ConvProblem& p) {
    return p.K * ((p.R + p.stride_h - 1) / p.stride_h) * ((p.S + p.stride_w - 1) / p.stride_w);
  }
  static double flops(const ConvProblem& p) { return p.flops(); }
  static double least_flops(const ConvProblem& p) { return p.least_flops(); }

  // Runs on the host's threads; shares no code with the drivers that it checks.
  static void reference(const ConvProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
