// One layer of a recurrent network in one direction: its weights, and what it keeps.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "primitives/rnn/rnn_plan.hpp"
#include "primitives/rnn/rnn_target.hpp"

namespace brickwork {

enum class RnnUse { inference, training };  // training keeps each step's gates and states for the way back

class RnnDirectedLayer {
 public:
  static Result<RnnDirectedLayer> make(const RnnLayerShape&, const RnnPlan&, RnnUse, const RnnTarget&);

  // Of all directions: weights_layer [D][C_l][G][K], weights_iter [D][K][G][K], bias [D][biases][K].
  void set_weights(const float* layer, const float* iter, const float* bias);

  // The state before the first step and that behind the last one, [N][K]: h in y, as the host has it; c of an LSTM.
  void set_states(const float* h0, float* y, const float* c0);
  void get_states(const float* y, float* hT, float* cT) const;

  // x, y and the lengths, or null, lie where the target computes.
  void run(const float* x, float* y, const std::int32_t* lengths);

  // Of training, behind run(), out of what it has kept; x, y and lengths as it had them, dy as y. The gradients of the
  // gates are what run_backward_data leaves to the others.
  void set_state_gradients(const float* dhT, const float* dcT);
  void run_backward_data(float* y, const float* dy, const std::int32_t* lengths);
  void run_gradient_of_x(float* dx, bool accumulate);
  void run_weight_update(const float* x, float* y);
  void get_state_gradients(float* dh0, float* dc0) const;
  void get_weight_gradients(float* layer, float* iter, float* bias) const;

  std::string_view isa() const { return passes_.isa; }

 private:
  RnnDirectedLayer(const RnnLayerShape&, const RnnPlan&, bool training, const RnnSizes&, const RnnTarget&);

  void make_backward(const RnnSizes&, const RnnTarget&);
  float* new_floats(std::int64_t size, const RnnTarget&);
  RnnForwardData data(const float* x, float* y, const std::int32_t* lengths) const;
  template <class Float>
  Float* part_of(Float* y) const {
    return y + shape_.part * shape_.y.blocks_of_part() * shape_.y.block_size();
  }

  RnnLayerShape shape_;
  RnnForwardGeometry g_;
  RnnPasses passes_;
  TargetArray<float> weights_[kRnnOperands], bias_, c_;
  RnnForwardData data_;  // but for x, y and the lengths

  RnnBackwardGeometry back_ = {};
  TargetArray<float> transposed_[kRnnOperands], dhT_, dcT_, dh_, dc_, gradients_, ones_;
  RnnBackwardData back_data_;  // but for forward's, y's and x's

  std::vector<TargetArray<float>> memory_;  // which the host never sees
};

}  // namespace brickwork
