// The passes of a fully connected layer as everyone outside their drivers knows them: tensors, work, and the
// definitions, which share nothing with the drivers they judge.
#pragma once
#include "fc_problem.hpp"
#include "op.hpp"

namespace brickwork {

// What they have in common: each sums every product of an input, a weight and an image once.
struct FcOp {
  using Problem = FcProblem;
  static constexpr std::string_view primitive = "fc";
  static constexpr std::int64_t FcProblem::*images = &FcProblem::N;
  static constexpr bool sum_of_products = true;

  static double flops(const FcProblem& p) { return p.flops(); }
  static double least_flops(const FcProblem& p) { return p.flops(); }
};

// Tensors: src [N][C], weights [K][C], bias [K] and residual [N][K] where the epilogue asks for them; dst [N][K].
struct FcForwardOp : FcOp {
  static constexpr std::string_view pass = "forward";
  static constexpr EpilogueSteps steps{.bias = true, .residual = true, .activation = true};

  static void check_taken(const FcProblem& p) { require_steps(p.epilogue, steps, pass); }
  static bool curved(const FcProblem& p) { return is_curve(p.epilogue.activation); }
  static std::vector<TensorInfo> inputs(const FcProblem&);
  static std::vector<TensorInfo> outputs(const FcProblem&);
  static std::int64_t terms(const FcProblem& p) { return p.C; }
  static void reference(const FcProblem&, const PlainTensors& in, PlainTensors& out);
};

// The gradient of src out of that of dst: dsrc[n][c] = sum over k of ddst[n][k] * weights[k][c], and then the epilogue:
// + residual, times the derivative of the activation that made src. Tensors: ddst [N][K], weights [K][C], residual and
// `at` [N][C], where the derivative is taken, as the epilogue asks for them; dsrc [N][C].
struct FcBackwardDataOp : FcOp {
  static constexpr std::string_view pass = "backward-data";
  static constexpr EpilogueSteps steps{.residual = true, .derivative = true};

  static void check_taken(const FcProblem& p) { require_steps(p.epilogue, steps, pass); }
  static bool curved(const FcProblem& p) { return is_curve(p.epilogue.activation); }
  static std::vector<TensorInfo> inputs(const FcProblem&);
  static std::vector<TensorInfo> outputs(const FcProblem&);
  static std::int64_t terms(const FcProblem& p) { return p.K; }
  static void reference(const FcProblem&, const PlainTensors& in, PlainTensors& out);
};

// The gradient of the weights out of that of dst: dweights[k][c] = sum over n of ddst[n][k] * src[n][c].
// Where the epilogue is bias, that of the bias, too: dbias[k] = sum over n of ddst[n][k].
// Tensors: src [N][C], ddst [N][K]; dweights [K][C] and dbias [K], overwritten.
struct FcWeightUpdateOp : FcOp {
  static constexpr std::string_view pass = "weight-update";
  static constexpr std::string_view summed_over_images = "ddst";
  static constexpr EpilogueSteps steps{.bias = true};

  static void check_taken(const FcProblem& p) { require_steps(p.epilogue, steps, pass); }
  static std::vector<TensorInfo> inputs(const FcProblem&);
  static std::vector<TensorInfo> outputs(const FcProblem&);
  static std::int64_t terms(const FcProblem& p) { return p.N; }
  static void reference(const FcProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
