// Batch normalisation's passes as everyone outside their driver knows them: tensors, work, and the definitions.
//
// Their time is that of the memory, so that bytes are what counts. A tensor is counted as often as a pass must go over
// it where no cache holds it: before an element can be normalised its whole channel has been read. What a ReLU cut off
// is a bit an element, which forward leaves for backward, as dst, which it tells as well, is 32 times the traffic.
// flops() are the few operations on each element, for rows that have a column for them.
#pragma once
#include "primitives/batch_norm/op/batch_norm_problem.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

struct BatchNormOp {
  using Problem = BatchNormProblem;
  static constexpr std::string_view primitive = "batch-norm";
  static constexpr std::int64_t BatchNormProblem::*images = &BatchNormProblem::N;
  static constexpr bool sum_of_products = false;
  static constexpr bool bandwidth_bound = true;

  static std::int64_t terms(const BatchNormProblem& p) { return p.values(); }
  static double bound(const BatchNormProblem&);
};

// Training. Tensors: src [N][C][H][W], gamma and beta [C], residual as src where the epilogue asks for it; dst as src,
// mean and variance [C].
struct BatchNormForwardOp : BatchNormOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> inputs(const BatchNormProblem&);
  static std::vector<TensorInfo> outputs(const BatchNormProblem&);
  static double flops(const BatchNormProblem& p) { return 8.0 * static_cast<double>(p.elements()); }
  static double bytes(const BatchNormProblem&);  // src twice, residual, dst, what a ReLU cut off
  static void reference(const BatchNormProblem&, const PlainTensors& in, PlainTensors& out);
};

// With a given mean and variance, [C] each, behind beta among the inputs; dst is all that comes out.
struct BatchNormInferenceOp : BatchNormOp {
  static constexpr std::string_view pass = "inference";

  static std::vector<TensorInfo> inputs(const BatchNormProblem&);
  static std::vector<TensorInfo> outputs(const BatchNormProblem&);
  static double flops(const BatchNormProblem& p) { return 4.0 * static_cast<double>(p.elements()); }
  static double bytes(const BatchNormProblem&);  // src, residual, dst
  static double bound(const BatchNormProblem&);
  static void settle(const BatchNormProblem&, PlainTensors& in);  // no variance is negative
  static void reference(const BatchNormProblem&, const PlainTensors& in, PlainTensors& out);
};

// The gradients of what goes into training's forward pass out of that of dst:
//   d = ddst, or 0 where the ReLU cut dst off;    x = (src - mean) / sqrt(variance + epsilon)
//   dbeta = sum d;    dgamma = sum d * x;         over n, h and w
//   dsrc = gamma / sqrt(variance + epsilon) * (d - (dbeta + x * dgamma) / (N * H * W));    dresidual = d
// Tensors: forward's inputs and ddst, as src; dsrc and dresidual as src, dgamma and dbeta [C]. What forward has left
// for it (mean, variance, where dst is above 0) follows from the inputs and belongs to nobody's run.
struct BatchNormBackwardOp : BatchNormOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const BatchNormProblem&);
  static std::vector<TensorInfo> outputs(const BatchNormProblem&);
  static double flops(const BatchNormProblem& p) { return 9.0 * static_cast<double>(p.elements()); }
  static double bytes(const BatchNormProblem&);  // src, ddst and what a ReLU cut off twice, dsrc, dresidual
  // No gradient reaches an element so close to the ReLU's kink that rounding would decide on which side it is.
  static void settle(const BatchNormProblem&, PlainTensors& in);
  static void reference(const BatchNormProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
