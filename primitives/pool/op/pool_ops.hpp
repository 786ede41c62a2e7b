// Pooling's passes as everyone outside their driver knows them: tensors, work, and the definitions. Their time is that
// of the memory, so that bytes are what counts; flops() are one for each tap, for rows that have a column for them.
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
  static double bytes(const PoolProblem&);  // src's and dst's, and with max an index for each element of dst
};

// Tensors: src [N][C][H][W]; dst [N][C][P][Q]. Which tap was the largest is for the backward pass of whoever computed
// it, and compared by nobody.
struct PoolForwardOp : PoolOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> inputs(const PoolProblem&);
  static std::vector<TensorInfo> outputs(const PoolProblem&);
  static double bound(const PoolProblem&);
  static void reference(const PoolProblem&, const PlainTensors& in, PlainTensors& out);
};

// The gradient of src out of that of dst: each window hands its own to the pixel that was the largest, or an equal
// share to each that the average is of. Tensors: src, with max alone, from which a contender learns the largest taps by
// its own forward pass before any run; ddst [N][C][P][Q]; dsrc [N][C][H][W].
struct PoolBackwardOp : PoolOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const PoolProblem&);
  static std::vector<TensorInfo> outputs(const PoolProblem&);
  static double bound(const PoolProblem&);
  static void reference(const PoolProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
