// Convolution forward as an operation: tensors, FLOPs and the reference definition.
#pragma once
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// Tensors: src [N][C][H][W], weights [K][C][R][S], bias [K] and residual [N][K][P][Q] if the epilogue has them;
// dst [N][K][P][Q].
struct ConvForwardOp {
  using Problem = ConvProblem;
  static constexpr std::string_view primitive = "conv", pass = "forward";
  static constexpr std::int64_t ConvProblem::*images = &ConvProblem::N;
  static constexpr bool sum_of_products = true;

  static constexpr EpilogueSteps steps{.bias = true, .residual = true, .activation = true};

  static void check_taken(const ConvProblem& p) { require_steps(p.epilogue, steps, pass); }
  static bool curved(const ConvProblem& p) { return is_curve(p.epilogue.activation); }
  static std::vector<TensorInfo> inputs(const ConvProblem&);
  static std::vector<TensorInfo> outputs(const ConvProblem&);
  static std::int64_t terms(const ConvProblem& p) { return p.C * p.R * p.S; }
  static double flops(const ConvProblem& p) { return p.flops(); }
  static double least_flops(const ConvProblem& p) { return p.least_flops(); }

  // Runs on the host's threads; shares no code with the drivers that it checks.
  static void reference(const ConvProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
