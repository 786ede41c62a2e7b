// The blocking of a convolution forward: the layouts, loops and brick shape of a plan. A run adds the tensors and the
// brick.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/brgemm/brgemm.hpp"
#include "kernels/layout/layout.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/conv_view.hpp"
#include "primitives/conv/run_conv.hpp"

namespace brickwork {

// Why the plan's blocks do not fit the problem, or an empty string.
std::string conv_forward_misfit(const ConvView&, const ConvPlan&);

// The members that follow from the blocks. Those that follow from the loops' order need the nest.
ConvForwardGeometry conv_forward_geometry(const ConvView&, const ConvPlan&);

class ConvForwardBlocking {
 public:
  // Returns a misfit if the plan does not fit the problem: a block larger than its dimension, flat pixels that the
  // problem does not allow, or an illegal loop schedule. src and weights have type `ab`.
  static Result<ConvForwardBlocking> make(const ConvProblem&, const ConvPlan&, DType ab = DType::f32);
  static Result<ConvForwardBlocking> make(const ConvView&, const ConvPlan&, const std::string& problem,
                                          DType ab = DType::f32);

  const ConvPlan& plan() const { return plan_; }
  const LoopNest& nest() const { return nest_; }

  // Layouts of the blocked tensors. residual and `at` have dst's layout; bias has dst_layout().Cb() * bc floats, zeros
  // from K on.
  const ActivationLayout& src_layout() const { return src_; }
  const WeightLayout& weights_layout() const { return weights_; }
  const ActivationLayout& dst_layout() const { return dst_; }

  // Shape and hints for the brick of a call.
  BrgemmShape brick_shape(int beta) const;
  BrgemmHints brick_hints() const;

  const ConvForwardGeometry& geometry() const { return geometry_; }

  // The tensors that the problem has, with pointers to this object's offset lists, so this object must outlive them.
  template <class T, class TC>
  ConvForwardData<T, TC> data(const T* src, const T* weights, const float* bias, const TC* residual, TC* dst,
                              const TC* at = nullptr) const {
    const std::int64_t first = src_.pixel(0, 0, -view_.room_h, -view_.pad_w),
                       first_of_dst = dst_.pixel(0, 0, view_.first_h, view_.first_w);
    return {.src = src + first,
            .weights = weights,
            .bias = view_.epilogue.bias ? bias : nullptr,
            .residual = view_.epilogue.residual ? residual + first_of_dst : nullptr,
            .at = view_.epilogue.derivative ? at + first_of_dst : nullptr,
            .dst = dst + first_of_dst,
            .a_offsets = a_offsets_.data(),
            .b_offsets = b_offsets_.data()};
  }
  template <class T, class TC>
  ConvForwardPass<T, TC> pass(const ConvForwardData<T, TC>& data) const {
    return {nest_, geometry_, brick_shape(0), data};
  }
  const std::vector<std::uint64_t>& a_offsets() const { return a_offsets_; }
  const std::vector<std::uint64_t>& b_offsets() const { return b_offsets_; }

 private:
  ConvForwardBlocking(const ConvView&, const ConvPlan&, const ConvForwardGeometry&, const LoopNest&, DType ab);

  ConvView view_;
  ConvPlan plan_;
  DType ab_;
  LoopNest nest_;
  ActivationLayout src_ = src_layout_of(view_, plan_.bc), dst_ = dst_layout_of(view_, plan_.bk);
  WeightLayout weights_ = weights_layout_of(view_, plan_.bc, plan_.bk);
  ConvForwardGeometry geometry_;
  std::vector<std::uint64_t> a_offsets_, b_offsets_;
};

}  // namespace brickwork
