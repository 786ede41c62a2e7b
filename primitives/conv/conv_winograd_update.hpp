// Convolution's weight update by Winograd's minimal filtering on the host: what conv_winograd.hpp is to forward. Tiles
// are the brick's k, and its m the input features of src, which it reads transposed.
#pragma once
#include <array>
#include <string_view>

#include "aligned_buffer.hpp"
#include "brgemm.hpp"
#include "conv/conv_winograd_plan.hpp"
#include "conv/winograd_groups.hpp"
#include "layout.hpp"
#include "loop_nest.hpp"

namespace brickwork {

class ConvWinogradUpdate {
 public:
  // As ConvWinograd's. Unsupported, too, where the gradient of a bias is asked for. ddst_room_w columns of zeros lie on
  // each side of ddst's rows.
  static Result<ConvWinogradUpdate> make(const ConvProblem&, const WinogradPlan&, Backend, Isa = Isa::best,
                                         const SimdTuning& = {}, std::int64_t ddst_room_w = 0);

  const WinogradPlan& plan() const { return plan_; }
  std::string_view isa() const { return bricks_[0]->isa(); }

  const ActivationLayout& src_layout() const { return src_; }
  const ActivationLayout& ddst_layout() const { return ddst_; }
  WeightLayout dweights_layout() const { return weights_layout_of(view_, plan_.bc, plan_.bk); }

  // Overwrites dweights. Not by two threads at once: the sums are this object's.
  void run(const float* src, const float* ddst, float* dweights);

 private:
  struct Body;

  ConvWinogradUpdate(const ConvView&, const WinogradPlan&, const LoopNest&, std::int64_t kb_of_group);

  std::int64_t places() const { return winograd_places(plan_.tile); }
  std::int64_t block_of_sums() const { return src_.Cb() * plan_.bc * plan_.bk; }  // of a place, and a block of K

  ConvView view_;
  WinogradPlan plan_;
  LoopNest nest_;
  ActivationLayout src_, ddst_;
  WinogradGroups groups_;
  std::int64_t kb_of_group_;               // blocks of K for which a group's tiles of src are transformed once
  std::array<BrgemmKernelPtr, 2> bricks_;  // of beta 0 and 1
  AlignedBuffer<float> sums_, copies_;     // [kb][place][cb][bc][bk]
};

}  // namespace brickwork
