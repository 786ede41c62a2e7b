// One layer of a recurrent network, one way through time: its weights, and what it keeps.
#pragma once
#include <cstdint>
#include <memory>

#include "rnn/rnn_place.hpp"
#include "rnn/rnn_plan.hpp"

namespace brickwork {

enum class RnnUse { inference, training };

class RnnWay {
 public:
  // x: what it reads, its first step in slot `first`. y: what it writes into, one of its parts, of T + 2 slots: the
  // state before the first step stands in the slot before it, which for the way back is the last.
  struct Shape {
    RnnCell cell = RnnCell::lstm;
    bool reversed = false;
    std::int64_t T = 0;
    RnnSteps x, y;
    std::int64_t first = 0;
    std::int64_t part = 0;
  };

  static Result<RnnWay> make(const Shape&, const RnnPlan&, RnnUse, const RnnPlace&);

  // Of one way: weights_layer [C_l][G][K], weights_iter [K][G][K], bias [biases][K].
  void set_weights(const float* layer, const float* iter, const float* bias);
  void set_c(const float* c0);  // [N][K], of an LSTM
  void get_c(float* cT) const;
  // Where the state before the first step and behind the last one stands in y.
  std::int64_t slot_before() const { return shape_.reversed ? shape_.T + 1 : 0; }
  std::int64_t slot_behind() const { return shape_.reversed ? 1 : shape_.T; }

  // x, y and the lengths, or null, lie where the place computes.
  void run(const float* x, float* y, const std::int32_t* lengths);

  const Shape& shape() const { return shape_; }
  const RnnForwardGeometry& geometry() const { return g_; }
  // With what training has kept.
  RnnForwardData data(const float* x, float* y, const std::int32_t* lengths) const;

  std::string_view isa() const { return pass_->isa(); }

 private:
  RnnWay(const Shape&, const RnnPlan&, RnnUse, const RnnPlace&);

  template <class GateOf>
  void pack(const RnnColumns&, const RnnSteps& a, const float* weights, const GateOf&, Placed<float>& to) const;

  Shape shape_;
  RnnForwardGeometry g_;
  std::shared_ptr<const RnnForwardPass> pass_;
  Placed<float> weights_of_x_, weights_of_state_, weights_of_reset_, bias_;
  Placed<float> gates_, tiles_, c_, reset_;
};

}  // namespace brickwork
