// Convolution backward by data with the taps in n: the body of conv_scatter_body.hpp around the kernels of a backend.
#pragma once
#include <string_view>
#include <vector>

#include "aligned_buffer.hpp"
#include "brgemm.hpp"
#include "conv/conv_plan.hpp"
#include "conv/conv_scatter_body.hpp"
#include "layout.hpp"

namespace brickwork {

// Whether it takes fewer vectors than the phases of the stride, whose tile is as wide as src has features.
bool scatter_takes_less(const ConvProblem&);

// The analytic choice of a plan with taps=n.
ConvPlan plan_conv_scatter(const ConvProblem&, const MachineModel&, FeatureBlocks = {});

class ConvBackwardScatter {
 public:
  // A misfit where the plan does not fit the problem; unsupported or absent where the backend has no brick for it.
  static Result<ConvBackwardScatter> make(const ConvProblem&, const ConvPlan&, Backend, Isa, const SimdTuning&);

  std::string_view isa() const { return brick_->isa(); }
  const ActivationLayout& ddst_layout() const { return ddst_; }
  const ActivationLayout& dsrc_layout() const { return dsrc_; }

  // From plain KCRS to [C/bk][K/bc][bc][R][S][bk], the last three as one row of whole cache lines.
  std::int64_t weights_size() const;
  void pack_weights(const float* kcrs, float* packed) const;

  // Not by two threads at once: the private copies are this object's.
  void run(const float* ddst, const float* packed_weights, float* dsrc);

 private:
  ConvBackwardScatter(const ConvProblem&, const ConvPlan&, const ConvScatterGeometry&, const LoopNest&);

  ConvProblem problem_;
  ConvScatterGeometry geometry_;
  LoopNest nest_;
  ActivationLayout ddst_, dsrc_;
  std::vector<std::uint64_t> ddst_offsets_, weights_offsets_;
  BrgemmKernelPtr brick_;
  AlignedBuffer<float> copies_;
};

}  // namespace brickwork
