// The passes of attention as everyone outside its driver knows them: tensors, work, and the definitions.
//
// Tensors: queries [T][N][K], keys and values [S][N][K], lengths [N] (i32) where they are unequal. What lies beyond a
// sequence's end reaches nothing, and its weights and gradients there are 0.
//
// Each output is right as a whole: its error's root mean square beside its own.
#pragma once
#include <algorithm>

#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// What the passes have in common. Flops are those of the matrix products, 2 * T * S * K of each sequence and product:
// every sequence counts S steps, as how long they are is no size of the problem.
struct AttentionOp {
  using Problem = AttentionProblem;
  static constexpr std::string_view primitive = "attention";
  static constexpr std::int64_t AttentionProblem::*images = &AttentionProblem::N;
  static constexpr bool sum_of_products = false;
  static constexpr bool bound_of_whole = true;

  static std::int64_t terms(const AttentionProblem& p) { return std::max({p.K, p.S, p.T}); }
  static double bound(const AttentionProblem&);
  // Keys and values are one tensor, and packed as each of them.
  static double values_between(const AttentionProblem& p) { return static_cast<double>(p.S * p.N * p.K); }
  // Scores of about 1: no weight is nearly all, and none nothing.
  static void settle(const AttentionProblem&, PlainTensors& in);

 protected:
  static double product_flops(const AttentionProblem&);
};

// context [T][N][K], and weights [N][T][S], which backward needs.
struct AttentionForwardOp : AttentionOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> inputs(const AttentionProblem&);
  static std::vector<TensorInfo> outputs(const AttentionProblem&);
  static double flops(const AttentionProblem& p) { return 2 * product_flops(p); }
  static void reference(const AttentionProblem&, const PlainTensors& in, PlainTensors& out);
};

// Behind forward's inputs dcontext, as context; of it dqueries, dkeys and dvalues. The weights that forward has left
// follow from its inputs and belong to nobody's run.
struct AttentionBackwardOp : AttentionOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const AttentionProblem&);
  static std::vector<TensorInfo> outputs(const AttentionProblem&);
  static double flops(const AttentionProblem& p) { return 4 * product_flops(p); }
  static void reference(const AttentionProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
