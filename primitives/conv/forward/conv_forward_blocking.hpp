// A convolution forward, blocked as a plan says: all that a run needs but the tensors and the brick.
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

class ConvForwardBlocking {
 public:
  // A misfit where the plan does not fit the problem: a block larger than its dimension, flat where rows cannot be
  // joined, loops that cannot run so. src and weights are of `ab`.
  static Result<ConvForwardBlocking> make(const ConvProblem&, const ConvPlan&, DType ab = DType::f32);
  static Result<ConvForwardBlocking> make(const ConvView&, const ConvPlan&, const std::string& problem,
                                          DType ab = DType::f32);

  const ConvPlan& plan() const { return plan_; }
  const LoopNest& nest() const { return nest_; }

  // The blocked tensors; residual and `at` lie as dst does, bias is dst_layout().Cb() * bc floats, those beyond K zero.
  const ActivationLayout& src_layout() const { return src_; }
  const WeightLayout& weights_layout() const { return weights_; }
  const ActivationLayout& dst_layout() const { return dst_; }

  // The brick of a call.
  BrgemmShape brick_shape(int beta) const;
  BrgemmHints brick_hints() const;

  const ConvForwardGeometry& geometry() const { return geometry_; }

  // The tensors, as far as the problem has them, with the offset lists of this object; it must outlive them.
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
