// Forward and backward pass of a fully connected layer on plain tensors: src [N][C], dst [N][K], weights [K][C],
// bias [K].
#pragma once
#include <optional>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/forward/conv_forward.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"
#include "primitives/fc/op/fc_problem.hpp"
#include "primitives/network/network_layers.hpp"

namespace brickwork {

class PlainFc {
 public:
  // Throws std::runtime_error with the reason if the backend has no brick for the layer.
  PlainFc(const FcProblem&, const NetworkBrick&);

  void forward(const float* src, const float* weights, const float* bias, float* dst);
  // Computes all gradients, for src and weights of the last call of forward().
  void backward(const float* ddst, float* dsrc, float* dweights, float* dbias);

 private:
  std::optional<ConvForward> forward_;
  std::optional<ConvBackwardData> backward_data_;
  std::optional<ConvWeightUpdate> weight_update_;
  AlignedBuffer<float> src_, weights_, transposed_, bias_, dst_;  // blocked
  AlignedBuffer<float> dsrc_, dweights_, dbias_, ddst_;
};

}  // namespace brickwork
