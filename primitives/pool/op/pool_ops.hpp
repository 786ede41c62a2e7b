// Pooling's passes as operations (op.hpp): tensors, work and definitions. Memory bounds them, so that they are judged
// by bytes. flops() counts one operation per tap, for rows that have a column for them.
#pragma once
#include "primitives/op/op.hpp"
#include "primitives/pool/op/pool_problem.hpp"

namespace brickwork {

struct PoolOp {
  using Problem = PoolProblem;
  static constexpr std::string_view primitive = "pool";
  static constexpr std::int64_t PoolProblem::*images = &PoolProblem::N;
  static constexpr bool sum_of_products = false;
  static constexpr bool bandwidth_bound = true;

  static std::int64_t terms(const PoolProblem& p) { return p.R * p.S; }
  static double flops(const PoolProblem&);
  static double bytes(const PoolProblem&);  // src and dst; for max also an index per element of dst
};

// Tensors: src [N][C][H][W]; dst [N][C][P][Q]. Indices of the largest taps are private to a contender and not compared.
struct PoolForwardOp : PoolOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> inputs(const PoolProblem&);
  static std::vector<TensorInfo> outputs(const PoolProblem&);
  static double bound(const PoolProblem&);
  static void reference(const PoolProblem&, const PlainTensors& in, PlainTensors& out);
};

// The gradient of src from that of dst. Each window gives its gradient to its largest pixel, or for an average an equal
// share to each of its pixels. Tensors: src, for max only: a contender finds the largest taps by its own forward pass
// before any run; ddst [N][C][P][Q]; dsrc [N][C][H][W].
struct PoolBackwardOp : PoolOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const PoolProblem&);
  static std::vector<TensorInfo> outputs(const PoolProblem&);
  static double bound(const PoolProblem&);
  static void reference(const PoolProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
