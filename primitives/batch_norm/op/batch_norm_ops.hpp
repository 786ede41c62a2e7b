// Batch normalisation's passes as operations (op.hpp): tensors, work and definitions.
//
// Memory bounds these passes, so that they are judged by bytes. A tensor counts each time that a pass must go over it
// if no cache holds it: an element can only be normalised after its whole channel has been read. For a ReLU, forward
// leaves backward a mask of one bit per element; dst would say the same at 32 times the traffic. flops() counts the few
// operations per element, for rows that have a column for them.
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

// Training. Inputs: src [N][C][H][W], gamma and beta [C], residual as src if the epilogue has one. Outputs: dst as src,
// mean and variance [C].
struct BatchNormForwardOp : BatchNormOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> inputs(const BatchNormProblem&);
  static std::vector<TensorInfo> outputs(const BatchNormProblem&);
  static double flops(const BatchNormProblem& p) { return 8.0 * static_cast<double>(p.elements()); }
  static double bytes(const BatchNormProblem&);  // src twice, residual, dst, mask
  static void reference(const BatchNormProblem&, const PlainTensors& in, PlainTensors& out);
};

// The mean and variance are given, [C] each, after beta; dst is the only output.
struct BatchNormInferenceOp : BatchNormOp {
  static constexpr std::string_view pass = "inference";

  static std::vector<TensorInfo> inputs(const BatchNormProblem&);
  static std::vector<TensorInfo> outputs(const BatchNormProblem&);
  static double flops(const BatchNormProblem& p) { return 4.0 * static_cast<double>(p.elements()); }
  static double bytes(const BatchNormProblem&);  // src, residual, dst
  static double bound(const BatchNormProblem&);
  static void settle(const BatchNormProblem&, PlainTensors& in);  // makes variances positive
  static void reference(const BatchNormProblem&, const PlainTensors& in, PlainTensors& out);
};

// The gradients of forward's inputs (training), from that of dst:
//   d = ddst, or 0 where the ReLU cut dst off;    x = (src - mean) / sqrt(variance + epsilon)
//   dbeta = sum d;    dgamma = sum d * x;         over n, h and w
//   dsrc = gamma / sqrt(variance + epsilon) * (d - (dbeta + x * dgamma) / (N * H * W));    dresidual = d
// Inputs: forward's, and ddst as src. Outputs: dsrc and dresidual as src, dgamma and dbeta [C]. The mean, variance and
// mask that forward leaves are no inputs, as they follow from these.
struct BatchNormBackwardOp : BatchNormOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const BatchNormProblem&);
  static std::vector<TensorInfo> outputs(const BatchNormProblem&);
  static double flops(const BatchNormProblem& p) { return 9.0 * static_cast<double>(p.elements()); }
  static double bytes(const BatchNormProblem&);  // src, ddst and mask twice, dsrc, dresidual
  // Stops the gradient of elements so close to the ReLU's kink that rounding would decide on which side they are.
  static void settle(const BatchNormProblem&, PlainTensors& in);
  static void reference(const BatchNormProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
