// The blocking of convolution's weight update: the layouts, loops and brick shapes of a plan. A run adds the tensors
// and the bricks.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/brgemm/brgemm.hpp"
#include "kernels/layout/layout.hpp"
#include "primitives/conv/conv_view.hpp"
#include "primitives/conv/run_conv.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"

namespace brickwork {

// Whether a run overwrites the outputs or adds to the gradients in them (of another part of the minibatch).
enum class Gradients { overwrite, accumulate };

// Why the plan's blocks do not fit the problem, or an empty string.
std::string conv_update_misfit(const ConvView&, const ConvUpdatePlan&);

// Everything except the images of a call and the gathered pixels, which the nest decides.
ConvUpdateGeometry conv_update_geometry(const ConvView&, const ConvUpdatePlan&);

class ConvUpdateBlocking {
 public:
  // Returns a misfit if the plan does not fit the problem. src and ddst have type `ab`. ddst has ddst_room_w columns of
  // zeros on each side of its rows, which another pass that reads it may need.
  static Result<ConvUpdateBlocking> make(const ConvProblem&, const ConvUpdatePlan&, DType ab = DType::f32,
                                         std::int64_t ddst_room_w = 0);

  const ConvUpdatePlan& plan() const { return plan_; }
  const LoopNest& nest() const { return nest_; }
  bool with_bias() const { return view_.epilogue.bias; }

  // Layouts of the blocked tensors.
  const ActivationLayout& src_layout() const { return src_; }
  const ActivationLayout& ddst_layout() const { return ddst_; }
  const WeightLayout& dweights_layout() const { return dweights_; }
  std::int64_t dbias_size() const { return with_bias() ? ddst_.Cb() * ddst_.bc : 0; }

  // Shapes of the brick calls for dweights and for dbias. A of the latter is ones_size() ones.
  BrgemmShape brick_shape(int beta) const;
  BrgemmShape bias_brick_shape(int beta) const;
  std::int64_t ones_size() const { return with_bias() ? brick_shape(0).k : 0; }

  const ConvUpdateGeometry& geometry() const { return geometry_; }

  // The tensors and the nest's private copies of the outputs, with pointers to this object's offset lists, so this
  // object must outlive them.
  template <class T, class TC>
  ConvUpdateData<T, TC> data(const T* src, const T* ddst, TC* dweights, TC* copies, TC* dbias, TC* bias_copies,
                             Gradients gradients, const T* ones) const {
    return {.src = src,
            .ddst = ddst + ddst_.pixel(0, 0, 0, 0),
            .dweights = {dweights, copies, dweights_.size()},
            .dbias = {with_bias() ? dbias : nullptr, bias_copies, dbias_size()},
            .accumulate = gradients == Gradients::accumulate,
            .a_offsets = a_offsets_.data(),
            .b_offsets = b_offsets_.data(),
            .ones = ones,
            .ones_offsets = ones == nullptr ? nullptr : ones_offsets_.data()};
  }
  template <class T, class TC>
  ConvUpdatePass<T, TC> pass(const ConvUpdateData<T, TC>& data) const {
    return {nest_, geometry_, brick_shape(0), bias_brick_shape(0), data};
  }
  const std::vector<std::uint64_t>& a_offsets() const { return a_offsets_; }
  const std::vector<std::uint64_t>& b_offsets() const { return b_offsets_; }

 private:
  ConvUpdateBlocking(const ConvView&, const ConvUpdatePlan&, const ConvUpdateGeometry&, const LoopNest&, DType ab);

  ConvView view_;
  ConvUpdatePlan plan_;
  DType ab_;
  LoopNest nest_;
  ActivationLayout src_ = src_layout_of(view_, plan_.bc), ddst_ = dst_layout_of(view_, plan_.bk);
  WeightLayout dweights_ = weights_layout_of(view_, plan_.bc, plan_.bk);
  ConvUpdateGeometry geometry_;
  std::vector<std::uint64_t> a_offsets_, b_offsets_;
  std::vector<std::uint64_t> ones_offsets_;  // empty without dbias
};

}  // namespace brickwork
