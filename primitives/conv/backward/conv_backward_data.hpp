// Convolution backward by data on the host: computes dsrc from ddst. There are two ways:
//
// - Phase by phase of the stride (stride_phases.hpp), each with forward's loops and body. The plan is for the phases'
//   convolutions, whose src is ddst: bc is a block of the problem's K, bk a block of its C, and pixels are a phase's.
// - By scattering: tiles are added into dsrc, without phases (primitives/conv/scatter/conv_scatter_body.hpp).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "primitives/conv/backward/conv_backward_blocking.hpp"
#include "primitives/conv/forward/conv_forward.hpp"
#include "primitives/conv/scatter/conv_backward_scatter.hpp"

namespace brickwork {

using ConvBackwardPlan = std::variant<ConvPlan, ConvScatterPlan>;
std::string to_string(const ConvBackwardPlan&);
ConvBackwardPlan parse_conv_backward_plan(std::string_view text);  // throws like parse_conv_plan()

// Chooses a plan by rule: scattering if it takes fewer vectors, otherwise the plan for the phase with the most taps; a
// call of another phase takes at most the pixels that the phase has. `blocks` is in the plan's terms: bc is a block of
// the problem's K.
ConvBackwardPlan plan_conv_backward_data(const ConvProblem&, const MachineModel&, Backend = Backend::simd,
                                         FeatureBlocks = {});

class ConvBackwardData {
 public:
  // Returns a misfit if the plan does not fit a phase, and unsupported or absent if the backend has no brick for it.
  static Result<ConvBackwardData> make(const ConvProblem&, const ConvBackwardPlan&, Backend, Isa = Isa::best,
                                       const SimdTuning& = {});

  const ConvBackwardPlan& plan() const { return plan_; }
  std::string_view isa() const { return scatter_ ? scatter_->isa() : phases_.front().isa(); }

  // Shapes of the blocked tensors that run() takes.
  const ActivationLayout& ddst_layout() const { return scatter_ ? scatter_->ddst_layout() : blocking_->ddst_layout(); }
  const ActivationLayout& dsrc_layout() const { return scatter_ ? scatter_->dsrc_layout() : blocking_->dsrc_layout(); }
  std::int64_t weights_size() const;

  // Packs plain KCRS weights for run(): for every phase its taps [C/bc][K/bk][taps][taps][bk][bc].
  void pack_weights(const float* kcrs, float* packed) const;

  // Packs forward's blocked weights, [K/bk][C/bc][R][S][bc][bk], with the plan's blocks of features.
  void pack_weights(const WeightLayout&, const float* blocked, float* packed) const;

  // residual and `at` (where the derivative is taken) have dsrc's layout; they are read if the problem's epilogue has
  // them, and may be null otherwise. Two threads must not call this at once, as private copies of dsrc are members.
  void run(const float* ddst, const float* packed_weights, const float* residual, const float* at, float* dsrc);

 private:
  explicit ConvBackwardData(const ConvBackwardPlan& plan) : plan_(plan) {}

  ConvBackwardPlan plan_;
  std::optional<ConvBackwardScatter> scatter_;
  std::optional<ConvBackwardBlocking> blocking_;  // set if scatter_ is not
  std::vector<ConvForward> phases_;
};

}  // namespace brickwork
