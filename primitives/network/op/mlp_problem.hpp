// The problem of a multilayer perceptron: layers of equal width, a minibatch, and the part of a training step.
#pragma once
#include <string>
#include <string_view>

#include "primitives/network/op/network_ops.hpp"

namespace brickwork {

struct MlpProblem {
  static constexpr std::string_view primitive = "mlp";

  static const SizeTable<MlpProblem>& table();  // "N1344 C1024 L3 step"

  std::string name;
  std::int64_t N = 1, C = 0, L = 0;  // minibatch, features of every layer, layers
  NetworkPart part = NetworkPart::step;
  int count = 1;

  void validate() const;  // throws std::invalid_argument with one sentence
};

// Fully connected layers with a bias, and a ReLU after all but the last one. widths: the input's features, then those
// of each layer's output.
NetworkGraph mlp_graph(std::int64_t N, const std::vector<std::int64_t>& widths);

NetworkGraph network_graph(const MlpProblem&);

using MlpOp = NetworkTrainingOp<MlpProblem>;

}  // namespace brickwork
