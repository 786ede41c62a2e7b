// Convolution backward by data on the host: dsrc from ddst, phase by phase of the stride (stride_phases.hpp), each by
// the loops and the body of forward.
//
// The plan is that of the phases' convolutions, whose src is ddst: its C and bc are the problem's K and a block of it,
// its K and bk the problem's C, its pixels a phase's. Or there are no phases, and tiles are
// added into dsrc: see primitives/conv/scatter/conv_scatter_body.hpp.
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
ConvBackwardPlan parse_conv_backward_plan(std::string_view text);  // throws as those of the two do

// The analytic choice, made for the phase of most taps, of whose pixels a call of the others takes no more than they
// have; or to scatter, where that takes fewer vectors. Blocks are the plan's: bc of the problem's K.
ConvBackwardPlan plan_conv_backward_data(const ConvProblem&, const MachineModel&, Backend = Backend::simd,
                                         FeatureBlocks = {});

class ConvBackwardData {
 public:
  // A misfit where the plan does not fit a phase; unsupported or absent where the backend has no brick for it.
  static Result<ConvBackwardData> make(const ConvProblem&, const ConvBackwardPlan&, Backend, Isa = Isa::best,
                                       const SimdTuning& = {});

  const ConvBackwardPlan& plan() const { return plan_; }
  std::string_view isa() const { return scatter_ ? scatter_->isa() : phases_.front().isa(); }

  // Shapes of the blocked tensors that run() takes.
  const ActivationLayout& ddst_layout() const { return scatter_ ? scatter_->ddst_layout() : blocking_->ddst_layout(); }
  const ActivationLayout& dsrc_layout() const { return scatter_ ? scatter_->dsrc_layout() : blocking_->dsrc_layout(); }
  std::int64_t weights_size() const;

  // From plain KCRS to what run() takes: for every phase its taps [C/bc][K/bk][taps][taps][bk][bc].
  void pack_weights(const float* kcrs, float* packed) const;

  // The same from forward's blocks of these very features, [K/bk][C/bc][R][S][bc][bk].
  void pack_weights(const WeightLayout&, const float* blocked, float* packed) const;

  // Not by two threads at once: copies of dsrc, where a plan has them, are this object's.
  // residual and `at`, where the derivative is taken, lie as dsrc does; they are read where the problem's epilogue asks
  // for them, and may be null otherwise.
  void run(const float* ddst, const float* packed_weights, const float* residual, const float* at, float* dsrc);

 private:
  explicit ConvBackwardData(const ConvBackwardPlan& plan) : plan_(plan) {}

  ConvBackwardPlan plan_;
  std::optional<ConvBackwardScatter> scatter_;
  std::optional<ConvBackwardBlocking> blocking_;  // where there is no scatter_
  std::vector<ConvForward> phases_;
};

}  // namespace brickwork
