// One recurrent layer in one direction: its weights and the values that it keeps.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "primitives/rnn/rnn_plan.hpp"
#include "primitives/rnn/rnn_target.hpp"

namespace brickwork {

enum class RnnUse { inference, training };  // training keeps each step's gates and states for backward

class RnnDirectedLayer {
 public:
  static Result<RnnDirectedLayer> make(const RnnLayerShape&, const RnnPlan&, RnnUse, const RnnTarget&);

  // The tensors of all directions: weights_layer [D][C_l][G][K], weights_iter [D][K][G][K], bias [D][biases][K].
  void set_weights(const float* layer, const float* iter, const float* bias);

  // The states before the first and after the last step, [N][K]. h is in y, which lies on the host here; c: LSTM only.
  void set_states(const float* h0, float* y, const float* c0);
  void get_states(const float* y, float* hT, float* cT) const;

  // x, y and the lengths (or null) lie where the target computes.
  void run(const float* x, float* y, const std::int32_t* lengths);

  // Training only, after run(), with its x, y and lengths; dy has y's layout. run_backward_data() keeps the gates'
  // gradients, which the other two passes need.
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
  RnnForwardData data_;  // without x, y and the lengths

  RnnBackwardGeometry back_ = {};
  TargetArray<float> transposed_[kRnnOperands], dhT_, dcT_, dh_, dc_, gradients_, ones_;
  RnnBackwardData back_data_;  // without forward's data and the gradients of y and x

  std::vector<TargetArray<float>> memory_;  // that the host never reads
};

}  // namespace brickwork
