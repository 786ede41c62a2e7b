// Convolution forward on the host: the loops of conv_forward_body.hpp around a backend's kernels.
#pragma once
#include <array>
#include <string_view>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"

namespace brickwork {

class ConvForward {
 public:
  // Returns a misfit if the plan does not fit the problem, and unsupported or absent if the backend has no brick for
  // it.
  static Result<ConvForward> make(const ConvProblem&, const ConvPlan&, Backend, Isa = Isa::best,
                                  const SimdTuning& = {});
  static Result<ConvForward> make(const ConvForwardBlocking&, Backend, Isa, const SimdTuning&);

  const ConvPlan& plan() const { return blocking_.plan(); }
  std::string_view isa() const { return bricks_[0]->isa(); }

  // Layouts of the blocked tensors that run() takes. residual has dst's layout; bias has dst_layout().Cb() * bc floats,
  // zeros from K on.
  const ActivationLayout& src_layout() const { return blocking_.src_layout(); }
  const WeightLayout& weights_layout() const { return blocking_.weights_layout(); }
  const ActivationLayout& dst_layout() const { return blocking_.dst_layout(); }

  // The loops of a run and the brick inside them.
  const ConvForwardBlocking& blocking() const { return blocking_; }
  KernelBrick brick() const { return {bricks_[0].get(), bricks_[1].get()}; }

  // bias and residual are read if the problem's epilogue has them, and may be null otherwise.
  void run(const float* src, const float* weights, const float* bias, const float* residual, float* dst) const;

 private:
  explicit ConvForward(ConvForwardBlocking blocking) : blocking_(std::move(blocking)) {}

  ConvForwardBlocking blocking_;
  std::array<BrgemmKernelPtr, 2> bricks_;  // for beta 0 and 1
};

}  // namespace brickwork
