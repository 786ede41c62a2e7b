// A multilayer perceptron of any depth: fully connected layers with a bias, and a ReLU behind all but the last.
//
// Each pass of a layer is a driver of convolution (fc/fc_layers.hpp) on blocked tensors, [F/b][N][b] and
// [K/bk][C/bc][bc][bk]. A layer's bc is the bk of the one before it, so that nothing is packed between them.
#pragma once
#include <cstdint>
#include <vector>

#include "aligned_buffer.hpp"
#include "conv/conv_backward_data.hpp"
#include "conv/conv_weight_update.hpp"

namespace brickwork {

struct MlpSizes {
  std::int64_t N = 1;                // images
  std::vector<std::int64_t> widths;  // features of the input, then those that each layer has as outputs
};

class Mlp {
 public:
  // Throws std::invalid_argument where there is no layer or a size is no problem's; unsupported or absent where the
  // backend has no brick for it. All parameters are 0.
  static Result<Mlp> make(const MlpSizes&, const MachineModel&, Backend, Isa = Isa::best, const SimdTuning& = {});

  std::size_t depth() const { return layers_.size(); }

  // Of one layer, plain: weights [K][C], bias [K].
  void set_parameters(std::size_t layer, const float* weights, const float* bias);
  void get_parameters(std::size_t layer, float* weights, float* bias) const;
  void get_gradients(std::size_t layer, float* dweights, float* dbias) const;

  // src [N][C] of the first layer, dst and ddst [N][K] of the last, plain.
  void pack_src(const float*);
  void unpack_dst(float*) const;
  void pack_ddst(const float*);

  // From src to dst, keeping what each layer gives.
  void forward();
  // From ddst, which it overwrites, to the gradients of all parameters; after forward().
  void backward();
  // Stochastic gradient descent: parameters -= rate * their gradients.
  void step(float rate);

 private:
  struct Layer {
    ConvForward forward;
    ConvBackwardData backward_data;
    ConvWeightUpdate weight_update;
    AlignedBuffer<float> weights, transposed, bias, dweights, dbias;
    AlignedBuffer<float> dst, ddst;
  };

  Mlp() = default;

  const float* src_of(std::size_t layer) const { return layer == 0 ? src_.data() : layers_[layer - 1].dst.data(); }

  AlignedBuffer<float> src_;
  std::vector<Layer> layers_;
};

}  // namespace brickwork
