// A convolution forward, blocked as a plan says: all that a run needs but the tensors and the brick.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "brgemm.hpp"
#include "conv/conv_forward_body.hpp"
#include "conv/conv_plan.hpp"
#include "conv/conv_view.hpp"
#include "layout.hpp"

namespace brickwork {

class ConvForwardBlocking {
 public:
  // A misfit where the plan does not fit the problem: a block larger than its dimension, flat where rows cannot be
  // joined, loops that cannot run so.
  static Result<ConvForwardBlocking> make(const ConvProblem&, const ConvPlan&);
  static Result<ConvForwardBlocking> make(const ConvView&, const ConvPlan&, const std::string& problem);

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
  ConvForwardData<float> data(const float* src, const float* weights, const float* bias, const float* residual,
                              float* dst, const float* at = nullptr) const;
  const std::vector<std::uint64_t>& src_offsets() const { return src_offsets_; }
  const std::vector<std::uint64_t>& weights_offsets() const { return weights_offsets_; }

 private:
  ConvForwardBlocking(const ConvView&, const ConvPlan&, const LoopNest&);

  ConvView view_;
  ConvPlan plan_;
  LoopNest nest_;
  ActivationLayout src_, dst_;
  WeightLayout weights_;
  ConvForwardGeometry geometry_;
  std::vector<std::uint64_t> src_offsets_, weights_offsets_;
};

}  // namespace brickwork
