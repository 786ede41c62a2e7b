// Convolution's weight update on the host: the body of conv_update_body.hpp around the kernels of a backend.
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
  // A misfit where the plan does not fit the problem; unsupported or absent where the backend has no brick for it.
  // ddst_room_w columns of zeros lie on each side of ddst's rows, as those of another pass that reads it.
  static Result<ConvWeightUpdate> make(const ConvProblem&, const ConvUpdatePlan&, Backend, Isa = Isa::best,
                                       const SimdTuning& = {}, std::int64_t ddst_room_w = 0);

  const ConvUpdatePlan& plan() const { return blocking_.plan(); }
  std::string_view isa() const { return bricks_[0]->isa(); }

  // Shapes of the blocked tensors that run() takes.
  const ActivationLayout& src_layout() const { return blocking_.src_layout(); }
  const ActivationLayout& ddst_layout() const { return blocking_.ddst_layout(); }
  const WeightLayout& dweights_layout() const { return blocking_.dweights_layout(); }
  std::int64_t dbias_size() const { return blocking_.dbias_size(); }

  // dbias, of dbias_size() floats, is written where the problem's epilogue asks for it, and may be null
  // otherwise. Not by two threads at once: the private copies are this object's.
  void run(const float* src, const float* ddst, float* dweights, float* dbias = nullptr,
           Gradients = Gradients::overwrite);

 private:
  explicit ConvWeightUpdate(ConvUpdateBlocking);

  ConvUpdateBlocking blocking_;
  std::array<BrgemmKernelPtr, 2> bricks_;       // of beta 0 and 1
  std::array<BrgemmKernelPtr, 2> bias_bricks_;  // null where no dbias is asked for
  std::vector<float> ones_;
  AlignedBuffer<float> copies_, bias_copies_;
};

}  // namespace brickwork
