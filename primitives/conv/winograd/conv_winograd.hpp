// Convolution by Winograd's minimal filtering on the host (winograd_tiles.hpp), for kernels of 3 x 3 with stride 1: 16
// or 9 multiplications instead of 36. Forward, and backward by data, which is such a convolution of ddst.
//
// It rounds more than the direct algorithm, as it multiplies sums and adds the products up again. Small integers are
// exact in tiles of 2 x 2. NaN and infinity in src reach all pixels of the tiles that read them.
#pragma once
#include <string_view>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/winograd/winograd_groups.hpp"

namespace brickwork {

class ConvWinograd {
 public:
  // Returns unsupported if the kernel is not 3 x 3 with stride 1, a misfit if the plan does not fit, and unsupported or
  // absent if the backend has no brick for it.
  static Result<ConvWinograd> make(const ConvView&, const WinogradPlan&, Backend, Isa = Isa::best,
                                   const SimdTuning& = {});

  const WinogradPlan& plan() const { return groups_.plan; }
  std::string_view isa() const { return brick_->isa(); }

  // Layouts of the blocked tensors that run() takes, as for the direct algorithm (conv_forward.hpp).
  const ActivationLayout& src_layout() const { return groups_.src; }
  const ActivationLayout& dst_layout() const { return groups_.dst; }

  // Transformed weights, [K/bk][place][C/bc][bc][bk]: their number of floats, and the transforms. transform_forward()
  // takes blocked weights of the view itself; transform_backward() is for a view of backward by data and takes blocked
  // weights of the forward pass.
  std::int64_t weights_size() const { return groups_.weights_size(); }
  WeightLayout forward_layout() const { return weights_layout_of(groups_.view, plan().bc, plan().bk); }
  WeightLayout backward_layout() const {
    return {groups_.view.C, groups_.view.K, groups_.view.R, groups_.view.S, plan().bc, plan().bk};
  }
  void transform_forward(const float* blocked, float* transformed) const;
  void transform_backward(const float* blocked, float* transformed) const;

  // bias, residual and `at` are read if the view's epilogue has them, and may be null otherwise.
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
