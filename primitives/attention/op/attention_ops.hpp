// The passes of attention as operations (op.hpp): tensors, work and definitions.
//
// Tensors: queries [T][N][K], keys and values [S][N][K], lengths [N] (i32) if they are unequal. Steps after a
// sequence's end are not used; their weights and gradients are 0.
//
// Each output is judged as a whole: the root mean square of its errors divided by its own.
#pragma once
#include <algorithm>

#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// What the passes share. flops() counts only the matrix products: 2 * T * S * K per sequence and product. Every
// sequence counts S steps, as its length is no size of the problem.
struct AttentionOp {
  using Problem = AttentionProblem;
  static constexpr std::string_view primitive = "attention";
  static constexpr std::int64_t AttentionProblem::*images = &AttentionProblem::N;
  static constexpr bool sum_of_products = false;
  static constexpr bool bound_of_whole = true;

  static std::int64_t terms(const AttentionProblem& p) { return std::max({p.K, p.S, p.T}); }
  static double bound(const AttentionProblem&);
  // Keys and values may be one tensor, but each is packed.
  static double values_between(const AttentionProblem& p) { return static_cast<double>(p.S * p.N * p.K); }
  // Makes scores about 1, so that no weight is close to 1 or 0.
  static void settle(const AttentionProblem&, PlainTensors& in);

 protected:
  static double product_flops(const AttentionProblem&);
};

// Outputs: context [T][N][K], and weights [N][T][S], which backward needs.
struct AttentionForwardOp : AttentionOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> inputs(const AttentionProblem&);
  static std::vector<TensorInfo> outputs(const AttentionProblem&);
  static double flops(const AttentionProblem& p) { return 2 * product_flops(p); }
  static void reference(const AttentionProblem&, const PlainTensors& in, PlainTensors& out);
};

// Inputs: forward's, and dcontext as context. Outputs: dqueries, dkeys and dvalues. The weights that forward leaves are
// no input, as they follow from its inputs.
struct AttentionBackwardOp : AttentionOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const AttentionProblem&);
  static std::vector<TensorInfo> outputs(const AttentionProblem&);
  static double flops(const AttentionProblem& p) { return 4 * product_flops(p); }
  static void reference(const AttentionProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
