// The problem of ResNet with bottlenecks for ImageNet (He et al., arXiv 1512.03385): layers, a minibatch, and the part
// of a training step.
#pragma once
#include <string>
#include <string_view>

#include "primitives/network/op/network_ops.hpp"

namespace brickwork {

// Where the first bottleneck of a stage has its stride: in the 3x3 convolution, which most call v1.5 and train, or in
// the 1x1 before it, as in the paper (v1).
enum class ResidualStride { in_3x3, in_1x1 };

struct ResidualNetwork {
  static constexpr std::string_view primitive = "resnet";

  static const SizeTable<ResidualNetwork>& table();  // "N4 L50 H224 step v1.5": all have defaults

  std::string name;
  std::int64_t N = 1, L = 50;  // minibatch, layers: 14, 26, 50, 101 or 152
  std::int64_t H = 224;        // rows and columns of an image
  std::int64_t K = 1000;       // classes
  NetworkPart part = NetworkPart::step;
  ResidualStride stride = ResidualStride::in_3x3;
  int count = 1;

  void validate() const;  // throws std::invalid_argument with one sentence
};

NetworkGraph network_graph(const ResidualNetwork&);

using ResidualNetworkOp = NetworkTrainingOp<ResidualNetwork>;

}  // namespace brickwork
