// Convolution's weight update by Winograd's minimal filtering on the host; conv_winograd.hpp has the other passes. The
// brick's k are tiles, and its m are input features of src, which it reads transposed.
#pragma once
#include <array>
#include <string_view>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/winograd/winograd_groups.hpp"

namespace brickwork {

class ConvWinogradUpdate {
 public:
  // Refuses what ConvWinograd::make() refuses, and returns unsupported if the problem has a bias. ddst has ddst_room_w
  // columns of zeros on each side of its rows.
  static Result<ConvWinogradUpdate> make(const ConvProblem&, const WinogradPlan&, Backend, Isa = Isa::best,
                                         const SimdTuning& = {}, std::int64_t ddst_room_w = 0);

  const WinogradPlan& plan() const { return groups_.plan; }
  std::string_view isa() const { return bricks_[0]->isa(); }

  const ActivationLayout& src_layout() const { return groups_.src; }
  const ActivationLayout& ddst_layout() const { return groups_.dst; }
  WeightLayout dweights_layout() const { return weights_layout_of(groups_.view, plan().bc, plan().bk); }

  // Overwrites dweights. Two threads must not call this at once, as the sums are members.
  void run(const float* src, const float* ddst, float* dweights);

 private:
  struct Body;

  explicit ConvWinogradUpdate(const WinogradGroups&);

  WinogradGroups groups_;
  std::array<BrgemmKernelPtr, 2> bricks_;  // for beta 0 and 1
  AlignedBuffer<float> sums_, copies_;     // [kb][place][cb][bc][bk]
};

}  // namespace brickwork
