// Back through time: one layer of a recurrent network, one way, out of what its forward pass has kept.
#pragma once
#include <memory>

#include "rnn/rnn_way.hpp"

namespace brickwork {

class RnnWayBackward {
 public:
  static Result<RnnWayBackward> make(const RnnWay&, const RnnPlace&);

  // The plain tensors of one way, as RnnWay's.
  void set_weights(const float* layer, const float* iter);
  void set_states(const float* dhT, const float* dcT);
  void get_states(float* dh0, float* dc0) const;
  void get_gradients(float* layer, float* iter, float* bias) const;

  // x, y and lengths as forward had them, dy as y. The gradients of the gates are what run_data leaves to the others.
  void run_data(const RnnWay&, float* y, const float* dy, const std::int32_t* lengths);
  void run_x(float* dx, bool accumulate) const;
  void run_update(const RnnWay&, const float* x, float* y);

 private:
  RnnWayBackward(const RnnWay&, const RnnPlace&);

  RnnBackwardData data() const;
  template <class GateOf>
  void pack(const RnnGradientColumns&, const float* weights, const GateOf&, Placed<float>& packed) const;
  template <class GateOf>
  void unpack(const RnnGradientColumns&, const float* gradients, float* gradient, const GateOf&) const;

  RnnWay::Shape shape_;
  RnnBackwardGeometry g_;
  std::shared_ptr<const RnnBackwardPass> pass_;
  Placed<float> of_x_, of_state_, of_reset_;  // weights
  Placed<float> dgates_, dhT_, dh_, dreset_, shares_, dcT_, dc_, gradients_, copies_of_gradients_, ones_;
};

}  // namespace brickwork
