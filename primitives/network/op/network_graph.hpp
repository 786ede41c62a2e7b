// A network as everyone outside its driver knows it: layers, each of whose inputs is what an earlier one gives.
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

inline constexpr int kImages = -1;  // in a layer's place: what goes into the network

// What it computes is the problem's, whose N is the network's minibatch. A fully connected layer behind images takes
// them as rows of C * H * W features in this order.
struct NetworkLayer {
  std::variant<ConvProblem, BatchNormProblem, PoolProblem, FcProblem> problem;  // named, unlike any other layer
  int src = kImages;                                                            // the layer that it reads
  int residual = kImages;  // the layer whose output a batch normalisation adds, where its epilogue has one
};

struct ImageSizes {
  std::int64_t N = 1, C = 0, H = 1, W = 1;

  std::int64_t size() const { return N * C * H * W; }
  friend bool operator==(const ImageSizes&, const ImageSizes&) = default;
};

// The last layer, a fully connected one, gives the logits of a softmax with cross-entropy, the loss.
//
// What a fully connected layer gives are rows, which another one alone may read. Of activations batch normalisations
// have their ReLU, and fully connected layers one where another of them reads it; all else is refused, as there is no
// pass that would take its derivative on the way.
struct NetworkGraph {
  ImageSizes images;
  std::vector<NetworkLayer> layers = {};

  // Each appends a layer of the sizes of what it reads and gives its place. `src` and `residual` are places, or
  // kImages. A convolution has as many rows and columns of zeros around the image as keep its size where the stride is
  // 1; a fully connected layer has a bias.
  int add_conv(std::string name, int src, std::int64_t K, std::int64_t kernel, std::int64_t stride = 1,
               bool bias = false);
  int add_norm(std::string name, int src, NormEpilogue, int residual = kImages);
  int add_pool(std::string name, int src, PoolKind, std::int64_t window, std::int64_t stride, std::int64_t pad = 0);
  int add_fc(std::string name, int src, std::int64_t K, Activation = Activation::none);
  int add(NetworkLayer);

  const std::string& name_of(std::size_t layer) const;
  ImageSizes src_of(std::size_t layer) const;  // of what the problem reads: images, or rows of features with H = W = 1
  ImageSizes dst_of(int layer) const;          // of kImages, too
  double values() const;                       // of what its layers give, and of their parameters
  std::int64_t classes() const { return dst_of(static_cast<int>(layers.size()) - 1).C; }

  // Throws std::invalid_argument with one sentence naming the layer.
  void validate() const;
};

// The layers' weights [K][C][R][S] or [K][C], biases [K], gammas and betas [C] as plain tensors, in the layers' order:
// "stage2.1.conv1.weights".
struct NetworkParameter {
  enum class Role { weights, bias, gamma, beta };

  TensorInfo info;
  std::size_t layer;
  Role role;
};
std::vector<NetworkParameter> parameters_of(const NetworkGraph&);

// Multiply-adds twice, of convolutions and fully connected layers alone; `least` leaves out taps in the padding. No
// gradient of the images is computed.
double forward_flops(const NetworkGraph&, bool least);
double backward_flops(const NetworkGraph&, bool least);

}  // namespace brickwork
