// Convolution's weight update on the host: the body of conv_update_body.hpp around the kernels of a backend.
#pragma once
#include <string_view>
#include <vector>

#include "aligned_buffer.hpp"
#include "brgemm.hpp"
#include "conv/conv_update_body.hpp"
#include "conv/conv_update_plan.hpp"
#include "layout.hpp"

namespace brickwork {

// What becomes of the gradients that the outputs hold: nothing, or those of another part of the minibatch, to add to.
enum class Gradients { overwrite, accumulate };

class ConvWeightUpdate {
 public:
  // A misfit where the plan does not fit the problem; unsupported or absent where the backend has no brick for it.
  // ddst_room_w columns of zeros lie on each side of ddst's rows, as those of another pass that reads it.
  static Result<ConvWeightUpdate> make(const ConvProblem&, const ConvUpdatePlan&, Backend, Isa = Isa::best,
                                       const SimdTuning& = {}, std::int64_t ddst_room_w = 0);

  const ConvUpdatePlan& plan() const { return plan_; }
  std::string_view isa() const { return bricks_[0]->isa(); }

  // Shapes of the blocked tensors that run() takes.
  const ActivationLayout& src_layout() const { return src_; }
  const ActivationLayout& ddst_layout() const { return ddst_; }
  const WeightLayout& dweights_layout() const { return dweights_; }
  std::int64_t dbias_size() const { return bias_bricks_[0] == nullptr ? 0 : ddst_.Cb() * ddst_.bc; }

  // dbias, of dbias_size() floats, is written where the problem's epilogue asks for it, and may be null
  // otherwise. Not by two threads at once: the private copies are this object's.
  void run(const float* src, const float* ddst, float* dweights, float* dbias = nullptr,
           Gradients = Gradients::overwrite);

 private:
  ConvWeightUpdate(const ConvView&, const ConvUpdatePlan&, const LoopNest&);

  BrgemmShape brick_shape(const ConvView&, int beta) const;
  BrgemmShape bias_brick_shape(const ConvView&, int beta) const;

  ConvUpdatePlan plan_;
  LoopNest nest_;
  ActivationLayout src_, ddst_;
  WeightLayout dweights_;
  ConvUpdateGeometry geometry_;
  std::vector<std::uint64_t> src_offsets_, ddst_offsets_;
  BrgemmKernelPtr bricks_[2];       // of beta 0 and 1
  BrgemmKernelPtr bias_bricks_[2];  // null where no dbias is asked for; so are the next two
  std::vector<float> ones_;
  std::vector<std::uint64_t> ones_offsets_;
  AlignedBuffer<float> copies_, bias_copies_;
};

}  // namespace brickwork
