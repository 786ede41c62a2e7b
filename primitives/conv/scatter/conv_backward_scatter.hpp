// Convolution backward by data by tiles that are added into dsrc: the body of conv_scatter_body.hpp around the kernels
// of a backend.
#pragma once
#include <string_view>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/scatter/conv_scatter_body.hpp"

namespace brickwork {

class ConvBackwardScatter {
 public:
  // A misfit where the plan does not fit the problem; unsupported or absent where the backend has no brick for it.
  static Result<ConvBackwardScatter> make(const ConvProblem&, const ConvScatterPlan&, Backend, Isa, const SimdTuning&);

  const ConvScatterPlan& plan() const { return geometry_.plan; }
  std::string_view isa() const { return brick_->isa(); }
  const ActivationLayout& ddst_layout() const { return geometry_.ddst; }
  const ActivationLayout& dsrc_layout() const { return geometry_.dsrc; }

  // From plain KCRS to [C/bk][K/bc][bc][R][S][bk], the last three as one row of whole cache lines.
  std::int64_t weights_size() const;
  void pack_weights(const float* kcrs, float* packed) const;
  // The same from forward's blocks.
  void pack_weights(const WeightLayout&, const float* blocked, float* packed) const;

  // Not by two threads at once: the private copies are this object's. What follows the sum waits for all of it.
  void run(const float* ddst, const float* packed_weights, const float* residual, const float* at, float* dsrc);

 private:
  ConvBackwardScatter(const ConvScatterGeometry&, const LoopNest&, BrgemmKernelPtr);

  void finish(const float* residual, const float* at, float* dsrc) const;

  ConvScatterGeometry geometry_;
  LoopNest nest_;
  BrgemmKernelPtr brick_;
  AlignedBuffer<float> copies_;
};

}  // namespace brickwork
