// Convolution by Winograd's minimal filtering on the host (winograd_tiles.hpp): 16 or 9 multiplications in place of 36
// of kernels of 3 x 3 and stride 1, forward and backward by data, which is such a convolution of ddst.
//
// It rounds more than the direct algorithm does: sums of sums are multiplied, and multiplied sums added up. Small
// integers are exact in tiles of 2 x 2. NaN and infinity in src reach all pixels of the tiles that see them.
#pragma once
#include <string_view>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/winograd/winograd_groups.hpp"

namespace brickwork {

class ConvWinograd {
 public:
  // Unsupported where the convolution is none of those; a misfit where the plan does not fit it; unsupported or absent
  // where the backend has no brick for it.
  static Result<ConvWinograd> make(const ConvView&, const WinogradPlan&, Backend, Isa = Isa::best,
                                   const SimdTuning& = {});

  const WinogradPlan& plan() const { return groups_.plan; }
  std::string_view isa() const { return brick_->isa(); }

  // Shapes of the blocked tensors that run() takes, as a direct one's (conv_forward.hpp).
  const ActivationLayout& src_layout() const { return groups_.src; }
  const ActivationLayout& dst_layout() const { return groups_.dst; }

  // The weights in their transformed form, [K/bk][place][C/bc][bc][bk]: how many floats, and from the blocks of a view
  // of forward, or of backward by data out of those of the forward pass.
  std::int64_t weights_size() const { return groups_.weights_size(); }
  WeightLayout forward_layout() const { return weights_layout_of(groups_.view, plan().bc, plan().bk); }
  WeightLayout backward_layout() const {
    return {groups_.view.C, groups_.view.K, groups_.view.R, groups_.view.S, plan().bc, plan().bk};
  }
  void transform_forward(const float* blocked, float* transformed) const;
  void transform_backward(const float* blocked, float* transformed) const;

  // bias, residual and `at` are read where the view's epilogue asks for them, and may be null otherwise.
  void run(const float* src, const float* transformed_weights, const float* bias, const float* residual,
           const float* at, float* dst) const;

 private:
  struct Body;

  ConvWinograd(const WinogradGroups& groups, BrgemmKernelPtr brick) : groups_(groups), brick_(std::move(brick)) {}

  void transform(const float* taps, float* transformed, std::int64_t kb, std::int64_t cb) const;

  WinogradGroups groups_;
  BrgemmKernelPtr brick_;
};

}  // namespace brickwork
