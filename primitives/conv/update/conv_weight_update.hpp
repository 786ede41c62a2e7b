// Convolution's weight update on the host: the loops of conv_update_body.hpp around a backend's kernels.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/update/conv_update_blocking.hpp"

namespace brickwork {

class ConvWeightUpdate {
 public:
  // Returns a misfit if the plan does not fit the problem, and unsupported or absent if the backend has no brick for
  // it. ddst has ddst_room_w columns of zeros on each side of its rows, which another pass that reads it may need.
  static Result<ConvWeightUpdate> make(const ConvProblem&, const ConvUpdatePlan&, Backend, Isa = Isa::best,
                                       const SimdTuning& = {}, std::int64_t ddst_room_w = 0);

  const ConvUpdatePlan& plan() const { return blocking_.plan(); }
  std::string_view isa() const { return bricks_[0]->isa(); }

  // Layouts of the blocked tensors that run() takes.
  const ActivationLayout& src_layout() const { return blocking_.src_layout(); }
  const ActivationLayout& ddst_layout() const { return blocking_.ddst_layout(); }
  const WeightLayout& dweights_layout() const { return blocking_.dweights_layout(); }
  std::int64_t dbias_size() const { return blocking_.dbias_size(); }

  // dbias has dbias_size() floats; it is written if the problem's epilogue has a bias, and may be null otherwise. Two
  // threads must not call this at once, as the private copies are members.
  void run(const float* src, const float* ddst, float* dweights, float* dbias = nullptr,
           Gradients = Gradients::overwrite);

 private:
  explicit ConvWeightUpdate(ConvUpdateBlocking);

  ConvUpdateBlocking blocking_;
  std::array<BrgemmKernelPtr, 2> bricks_;       // for beta 0 and 1
  std::array<BrgemmKernelPtr, 2> bias_bricks_;  // null without dbias
  std::vector<float> ones_;
  AlignedBuffer<float> copies_, bias_copies_;
};

}  // namespace brickwork
