// The recurrent stack of GNMT as an operation (op.hpp): tensors, work, and the definition, which is composed of those
// of recurrent layers and attention.
//
// Inputs: source [S][N][K] and target [T][N][K]; lengths [N] (i32) of the source if they are unequal; each layer's
// weights ("encoder.1.weights_layer", ".weights_iter", ".bias", as in rnn_ops.hpp); for a step of training also dy
// [T][N][K]. Outputs: y [T][N][K] for inference; dsource, dtarget and the weights' gradients
// ("encoder.1.bias.gradient") for a step. Each output is judged as a whole (compare.hpp).
#pragma once
#include "primitives/gnmt/op/gnmt_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

struct GnmtOp {
  using Problem = GnmtProblem;
  static constexpr std::string_view primitive = Problem::primitive, pass = "stack";
  static constexpr std::int64_t GnmtProblem::*images = &GnmtProblem::N;
  static constexpr bool sum_of_products = false;
  static constexpr bool sum_over_images = true;
  static constexpr bool bound_of_whole = true;

  static std::vector<TensorInfo> weights(const GnmtProblem&);  // by layer
  static std::vector<TensorInfo> inputs(const GnmtProblem&);
  static std::vector<TensorInfo> outputs(const GnmtProblem&);
  static std::int64_t terms(const GnmtProblem& p) { return 3 * p.K; }
  static double flops(const GnmtProblem&);
  static double bound(const GnmtProblem&);
  static double values_between(const GnmtProblem& p) { return p.values_between(); }
  static void settle(const GnmtProblem&, PlainTensors& in);
  static void reference(const GnmtProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
