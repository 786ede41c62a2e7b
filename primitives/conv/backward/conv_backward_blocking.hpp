// The blocking of convolution backward by data: the phases of the stride (stride_phases.hpp) with the layouts, loops
// and brick shapes of a plan. A run adds the tensors and the bricks.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"

namespace brickwork {

// The plan for a phase, which may have fewer pixels than a call takes.
ConvPlan plan_of_phase(ConvPlan, const ConvView& phase);

inline constexpr const char* kNothingToCompute = "no output reads a pixel of src, so there is nothing to compute";

class ConvBackwardBlocking {
 public:
  struct Phase {
    BackwardPhase part;
    ConvForwardBlocking conv;   // its src is ddst
    std::int64_t first_weight;  // index of the phase's first weight in the packed weights
  };

  // Returns a misfit if the plan does not fit a phase, and unsupported if no phase has taps. ddst and weights have
  // type `ab`.
  static Result<ConvBackwardBlocking> make(const ConvProblem&, const ConvPlan&, DType ab = DType::f32);

  // The phases with taps. The one with the most taps comes first; it also fills the pixels of phases without taps.
  const std::vector<Phase>& phases() const { return phases_; }
  const std::vector<PixelsWithoutTaps>& without_taps() const { return without_taps_; }

  // Layouts of the blocked tensors.
  const ActivationLayout& ddst_layout() const { return phases_.front().conv.src_layout(); }
  const ActivationLayout& dsrc_layout() const { return phases_.front().conv.dst_layout(); }
  std::int64_t weights_size() const;

  // The pass of phases()[i].
  template <class T, class TC>
  ConvBackwardPass<T, TC> pass(std::size_t i, const T* ddst, const T* weights, const TC* residual, const TC* at,
                               TC* dsrc) const {
    const Phase& phase = phases_[i];
    const auto data = phase.conv.data(ddst, weights + phase.first_weight, nullptr, residual, dsrc, at);
    return {phase.conv.pass(data), without_taps_.data(), i == 0 ? static_cast<int>(without_taps_.size()) : 0,
            phase.conv.plan().dst};
  }

  // Packs plain KCRS weights for run(): for every phase its taps [C/bc][K/bk][taps][taps][bk][bc].
  void pack_weights(const float* kcrs, float* packed) const;
  // Packs forward's blocked weights [K/bk][C/bc][R][S][bc][bk]. Throws std::logic_error if their blocks of features
  // differ from the plan's.
  void pack_weights(const WeightLayout&, const float* blocked, float* packed) const;

 private:
  explicit ConvBackwardBlocking(const ConvProblem& problem) : problem_(problem) {}

  ConvProblem problem_;
  std::vector<Phase> phases_;
  std::vector<PixelsWithoutTaps> without_taps_;
};

}  // namespace brickwork
