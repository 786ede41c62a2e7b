// Convolution backward by data in phases of the stride (stride_phases.hpp), blocked as a plan says: all that a run
// needs but the tensors and the bricks.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"

namespace brickwork {

class ConvBackwardBlocking {
 public:
  struct Phase {
    BackwardPhase part;
    ConvForwardBlocking conv;   // its src is ddst
    std::int64_t first_weight;  // among those of all phases
  };

  // A misfit where the plan does not fit a phase; unsupported where none has taps. ddst and weights are of `ab`.
  static Result<ConvBackwardBlocking> make(const ConvProblem&, const ConvPlan&, DType ab = DType::f32);

  // Those that have taps, the one of most taps first: it fills the pixels of those that have none, too.
  const std::vector<Phase>& phases() const { return phases_; }
  const std::vector<PixelsWithoutTaps>& without_taps() const { return without_taps_; }

  // The blocked tensors.
  const ActivationLayout& ddst_layout() const { return phases_.front().conv.src_layout(); }
  const ActivationLayout& dsrc_layout() const { return phases_.front().conv.dst_layout(); }
  std::int64_t weights_size() const;

  // A phase, by its place among them.
  template <class T, class TC>
  ConvBackwardPass<T, TC> pass(std::size_t i, const T* ddst, const T* weights, const TC* residual, const TC* at,
                               TC* dsrc) const {
    const Phase& phase = phases_[i];
    const auto data = phase.conv.data(ddst, weights + phase.first_weight, nullptr, residual, dsrc, at);
    return {phase.conv.pass(data), without_taps_.data(), i == 0 ? static_cast<int>(without_taps_.size()) : 0,
            phase.conv.plan().dst};
  }

  // From plain KCRS to what a run takes: for every phase its taps [C/bc][K/bk][taps][taps][bk][bc].
  void pack_weights(const float* kcrs, float* packed) const;
  // The same from forward's blocks of these very features, [K/bk][C/bc][R][S][bc][bk].
  void pack_weights(const WeightLayout&, const float* blocked, float* packed) const;

 private:
  explicit ConvBackwardBlocking(const ConvProblem& problem) : problem_(problem) {}

  ConvProblem problem_;
  std::vector<Phase> phases_;
  std::vector<PixelsWithoutTaps> without_taps_;
};

}  // namespace brickwork
