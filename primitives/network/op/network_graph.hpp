// A network as a graph of layers: each layer reads the images or earlier layers' outputs.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "primitives/batch_norm/op/batch_norm_problem.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/fc/op/fc_problem.hpp"
#include "primitives/op/plain_tensors.hpp"
#include "primitives/pool/op/pool_problem.hpp"

namespace brickwork {

inline constexpr int kImages = -1;  // a layer index that means the network's input

// A layer is its problem; the problem's N is the network's minibatch. A fully connected layer that reads images takes
// them as rows of C * H * W features in this order.
struct NetworkLayer {
  std::variant<ConvProblem, BatchNormProblem, PoolProblem, FcProblem> problem;  // its name is unique
  int src = kImages;                                                            // the layer that it reads
  int residual = kImages;  // the layer whose output a batch normalisation with a residual adds
};

struct ImageSizes {
  std::int64_t N = 1, C = 0, H = 1, W = 1;

  std::int64_t size() const { return N * C * H * W; }
  friend bool operator==(const ImageSizes&, const ImageSizes&) = default;
};

// The last layer is a fully connected one and gives the logits; the loss is their softmax with cross-entropy.
//
// A fully connected layer gives rows, which only another fully connected layer may read. Two activations are allowed:
// the ReLU of a batch normalisation, and that of a fully connected layer which another one reads. Others are refused,
// as no pass would apply their derivative.
struct NetworkGraph {
  ImageSizes images;
  std::vector<NetworkLayer> layers = {};

  // Each appends a layer and returns its index; the layer's sizes follow from what it reads. `src` and `residual` are
  // indices or kImages. A convolution is padded so that it keeps the size of the image at stride 1; a fully connected
  // layer has a bias.
  int add_conv(std::string name, int src, std::int64_t K, std::int64_t kernel, std::int64_t stride = 1,
               bool bias = false);
  int add_norm(std::string name, int src, NormEpilogue, int residual = kImages);
  int add_pool(std::string name, int src, PoolKind, std::int64_t window, std::int64_t stride, std::int64_t pad = 0);
  int add_fc(std::string name, int src, std::int64_t K, Activation = Activation::none);
  int add(NetworkLayer);

  const std::string& name_of(std::size_t layer) const;
  ImageSizes src_of(std::size_t layer) const;  // what the problem reads: images, or rows of features with H = W = 1
  ImageSizes dst_of(int layer) const;          // kImages is allowed
  double values() const;                       // the number of values in layers' outputs and parameters
  std::int64_t classes() const { return dst_of(static_cast<int>(layers.size()) - 1).C; }

  // Throws std::invalid_argument with one sentence that names the layer.
  void validate() const;
};

// The parameters as plain tensors, in the layers' order: weights [K][C][R][S] or [K][C], biases [K], gammas and betas
// [C], named as "stage2.1.conv1.weights".
struct NetworkParameter {
  enum class Role { weights, bias, gamma, beta };

  TensorInfo info;
  std::size_t layer;
  Role role;
};
std::vector<NetworkParameter> parameters_of(const NetworkGraph&);

// Operations of convolutions and fully connected layers only, a multiply-add as two. `least` leaves out taps in the
// padding. There is no gradient of the images.
double forward_flops(const NetworkGraph&, bool least);
double backward_flops(const NetworkGraph&, bool least);

}  // namespace brickwork
