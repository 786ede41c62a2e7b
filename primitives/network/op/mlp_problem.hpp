// A multilayer perceptron: one problem is a network of equally wide layers, its minibatch and a part of a step of its
// training.
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

// Fully connected layers with a bias, and a ReLU behind all but the last, of these widths: features of the input, then
// those that each layer gives.
NetworkGraph mlp_graph(std::int64_t N, const std::vector<std::int64_t>& widths);

NetworkGraph network_graph(const MlpProblem&);

using MlpOp = NetworkTrainingOp<MlpProblem>;

}  // namespace brickwork
