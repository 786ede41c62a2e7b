// Convolution forward on the host: the body of conv_forward_body.hpp around the kernels of a backend.
#pragma once
#include <array>
#include <string_view>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"

namespace brickwork {

class ConvForward {
 public:
  // A misfit where the plan does not fit the problem; unsupported or absent where the backend has no brick for it.
  static Result<ConvForward> make(const ConvProblem&, const ConvPlan&, Backend, Isa = Isa::best,
                                  const SimdTuning& = {});
  static Result<ConvForward> make(const ConvForwardBlocking&, Backend, Isa, const SimdTuning&);

  const ConvPlan& plan() const { return blocking_.plan(); }
  std::string_view isa() const { return bricks_[0]->isa(); }

  // Shapes of the blocked tensors that run() takes; residual has the layout of dst, bias has
  // dst_layout().Cb() * bc floats, those beyond K zero.
  const ActivationLayout& src_layout() const { return blocking_.src_layout(); }
  const WeightLayout& weights_layout() const { return blocking_.weights_layout(); }
  const ActivationLayout& dst_layout() const { return blocking_.dst_layout(); }

  // The loops of a run, and the brick that they are around.
  const ConvForwardBlocking& blocking() const { return blocking_; }
  KernelBrick brick() const { return {bricks_[0].get(), bricks_[1].get()}; }

  // bias and residual are read where the problem's epilogue asks for them, and may be null otherwise.
  void run(const float* src, const float* weights, const float* bias, const float* residual, float* dst) const;

 private:
  explicit ConvForward(ConvForwardBlocking blocking) : blocking_(std::move(blocking)) {}

  ConvForwardBlocking blocking_;
  std::array<BrgemmKernelPtr, 2> bricks_;  // of beta 0 and 1
};

}  // namespace brickwork
