// Convolution backward by data by scattering on the host: the loops of conv_scatter_body.hpp around a backend's
// kernels.
#pragma once
#include <string>
#include <string_view>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/scatter/conv_scatter_body.hpp"

namespace brickwork {

// Why the plan's blocks do not fit the problem, or an empty string.
std::string conv_scatter_misfit(const ConvProblem&, const ConvScatterPlan&);

ConvScatterGeometry conv_scatter_geometry(const ConvProblem&, const ConvScatterPlan&);

class ConvBackwardScatter {
 public:
  // Returns a misfit if the plan does not fit the problem, and unsupported or absent if the backend has no brick for
  // it.
  static Result<ConvBackwardScatter> make(const ConvProblem&, const ConvScatterPlan&, Backend, Isa, const SimdTuning&);

  const ConvScatterPlan& plan() const { return geometry_.plan; }
  std::string_view isa() const { return brick_->isa(); }
  const ActivationLayout& ddst_layout() const { return geometry_.ddst; }
  const ActivationLayout& dsrc_layout() const { return geometry_.dsrc; }

  // Packs plain KCRS weights to [C/bk][K/bc][bc][R][S][bk]; the last three are one row, padded to whole cache lines.
  std::int64_t weights_size() const;
  void pack_weights(const float* kcrs, float* packed) const;
  // Packs weights from forward's blocks.
  void pack_weights(const WeightLayout&, const float* blocked, float* packed) const;

  // Two threads must not call this at once, as the private copies are members. The epilogue follows in a sweep of its
  // own, after all sums. Arguments are those of ConvBackwardData::run().
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
