#include "primitives/network/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/network_definition.hpp"
#include "primitives/network/op/residual_network.hpp"
#include "primitives/network/op/testing/small_networks.hpp"
#include "primitives/op/compare.hpp"

namespace brickwork {
namespace {

std::vector<float> in_float(const PlainTensors& in, const std::string& name, std::int64_t size) {
  const double* const from = in.at<double>(name);
  return {from, from + size};
}

Network make_network(const NetworkGraph& graph, const PlainTensors& in, int threads = 2,
                     Backend backend = Backend::simd, ConvAlgorithm algorithm = ConvAlgorithm::direct) {
  Network network =
      *Network::make(graph, {.machine = {.threads = threads}, .backend = backend, .algorithm = algorithm});
  network.set_images(in_float(in, "images", graph.images.size()).data());
  for (std::size_t i = 0; i < network.parameters().size(); ++i) {
    const TensorInfo& info = network.parameters()[i].info;
    network.set_parameter(i, in_float(in, info.name, info.size()).data());
  }
  return network;
}

std::vector<std::int32_t> labels_of(const NetworkGraph& graph, const PlainTensors& in) {
  const double* const labels = in.at<double>("labels");
  return {labels, labels + graph.images.N};
}

std::vector<float> gradient_of(const Network& network, std::size_t i) {
  std::vector<float> gradient(static_cast<std::size_t>(network.parameters()[i].info.size()), NAN);
  network.get_gradient(i, gradient.data());
  return gradient;
}

// The error of a whole output, as in compare.hpp.
double error_of(const std::vector<float>& found, const std::vector<double>& right) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    errors += (found[i] - right[i]) * (found[i] - right[i]);
    squares += right[i] * right[i];
  }
  return std::sqrt(errors / squares);
}

struct Named {
  const char* name;
  NetworkGraph graph;
};
void PrintTo(const Named& named, std::ostream* to) { *to << named.name; }

class NetworkTest : public testing::TestWithParam<Named> {};

TEST_P(NetworkTest, LossLogitsAndGradientsEqualTheDefinitions) {
  const NetworkGraph& graph = GetParam().graph;
  const PlainTensors in = random_network_inputs(graph);
  const NetworkValues right = define_network(graph, in, true);
  const auto labels = labels_of(graph, in);
  struct Way {
    Backend backend;
    ConvAlgorithm algorithm = ConvAlgorithm::direct;
  };
  for (const auto& [backend, algorithm] :
       {Way{Backend::simd}, Way{Backend::portable}, Way{Backend::simd, ConvAlgorithm::winograd}}) {
    Network network = make_network(graph, in, 2, backend, algorithm);
    for (int twice = 0; twice < 2; ++twice) {  // the second pass must overwrite gradients
      EXPECT_NEAR(network.forward(labels.data()), right.loss, 1e-5 * right.loss);
      network.backward();
    }
    std::vector<float> logits(right.outputs.back().size());
    network.get_logits(logits.data());
    EXPECT_LT(error_of(logits, right.outputs.back()), 1e-4);
    for (std::size_t i = 0; i < network.parameters().size(); ++i) {
      EXPECT_LT(error_of(gradient_of(network, i), right.gradients[i]), 1e-3) << network.parameters()[i].info.name;
    }
  }
}

TEST_P(NetworkTest, ThreadsChangeNoMoreThanRounding) {
  const NetworkGraph& graph = GetParam().graph;
  const PlainTensors in = random_network_inputs(graph);
  const auto labels = labels_of(graph, in);
  Network one = make_network(graph, in, 1), three = make_network(graph, in, 3);
  EXPECT_NEAR(one.forward(labels.data()), three.forward(labels.data()), 1e-5);
  one.backward();
  three.backward();
  for (std::size_t i = 0; i < one.parameters().size(); ++i) {
    const auto gradient = gradient_of(one, i);
    EXPECT_LT(error_of(gradient_of(three, i), {gradient.begin(), gradient.end()}), 1e-3);
  }
}

TEST_P(NetworkTest, AStepIsGradientDescentWithMomentum) {
  const NetworkGraph& graph = GetParam().graph;
  const PlainTensors in = random_network_inputs(graph);
  const auto labels = labels_of(graph, in);
  Network network = make_network(graph, in);
  const SgdStep step{.rate = 0.01F, .momentum = 0.5F, .decay = 0.1F};
  std::vector<std::vector<double>> weights, velocities;
  for (const NetworkParameter& p : network.parameters()) {
    const auto first = in_float(in, p.info.name, p.info.size());
    weights.emplace_back(first.begin(), first.end());
    velocities.emplace_back(first.size(), 0.0);
  }
  for (int twice = 0; twice < 2; ++twice) {
    network.forward(labels.data());
    network.backward();
    network.step(step);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto gradient = gradient_of(network, i);
      std::vector<float> velocity(gradient.size()), stepped(gradient.size());
      network.get_velocity(i, velocity.data());
      network.get_parameter(i, stepped.data());
      for (std::size_t j = 0; j < gradient.size(); ++j) {
        velocities[i][j] = 0.5 * velocities[i][j] + gradient[j] + 0.1 * weights[i][j];
        weights[i][j] -= 0.01 * velocities[i][j];
      }
      EXPECT_LT(error_of(velocity, velocities[i]), 1e-5);
      EXPECT_LT(error_of(stepped, weights[i]), 1e-5);
    }
  }
  NetworkState elsewhere(network.state().weights.size());
  const auto before = network.state().weights[0];
  network.step(step, elsewhere);
  EXPECT_EQ(network.state().weights[0], before);
  network.step(step);
  EXPECT_NE(network.state().weights[0], before);
  EXPECT_TRUE(std::ranges::equal(network.state().weights, elsewhere.weights));
  EXPECT_TRUE(std::ranges::equal(network.state().velocities, elsewhere.velocities));
}

TEST_P(NetworkTest, TrainingBringsTheLossDownAndInferenceFollows) {
  const NetworkGraph& graph = GetParam().graph;
  const PlainTensors in = random_network_inputs(graph);
  const auto labels = labels_of(graph, in);
  Network network = make_network(graph, in);
  const float before = network.forward(labels.data());
  for (int i = 0; i < 60; ++i) {
    network.forward(labels.data());
    network.backward();
    network.step({.rate = 0.05F, .momentum = 0.5F, .decay = 0});
  }
  EXPECT_LT(network.forward(labels.data()), 0.5F * before);
  network.infer();
  std::vector<float> logits(static_cast<std::size_t>(graph.images.N * graph.classes()));
  network.get_logits(logits.data());
  for (std::size_t n = 0; n < labels.size(); ++n) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(n * static_cast<std::size_t>(graph.classes()));
    EXPECT_EQ(std::max_element(row, row + graph.classes()) - row, labels[n]) << n;
  }
}

TEST_P(NetworkTest, ALabelThatIsNoClassIsRefused) {
  const NetworkGraph& graph = GetParam().graph;
  const PlainTensors in = random_network_inputs(graph);
  auto labels = labels_of(graph, in);
  labels.back() = static_cast<std::int32_t>(graph.classes());
  Network network = make_network(graph, in);
  EXPECT_THROW(network.forward(labels.data()), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(SmallOnes, NetworkTest,
                         testing::Values(Named{"residual", small_residual_network(3)},
                                         Named{"residual_of_one_image", small_residual_network(1, 17, 66)},
                                         Named{"mlp", mlp_graph(5, {7, 70, 64, 3})},
                                         Named{"one_layer", mlp_graph(1, {3, 2})}),
                         [](const auto& tested) { return tested.param.name; });

// With many features, Winograd's algorithm takes less time for 3x3 convolutions. Results have its rounding errors.
TEST(Network, UsesWinogradsAlgorithmOnRequest) {
  const NetworkGraph graph = small_residual_network(8, 17, 66);
  const PlainTensors in = random_network_inputs(graph);
  const auto gradients = [&](ConvAlgorithm algorithm) {
    Network network = make_network(graph, in, 2, Backend::simd, algorithm);
    network.forward(labels_of(graph, in).data());
    network.backward();
    return gradient_of(network, 0);
  };
  EXPECT_NE(gradients(ConvAlgorithm::winograd), gradients(ConvAlgorithm::direct));
}

// The operation's bound allows more than rounding needs, and less than a wrong layer.
TEST(Network, AResidualNetworkStaysWithinTheOperationsBound) {
  const auto p = parse_problem<ResidualNetwork>("N2 L14 H40 K10 backward");
  const NetworkGraph graph = network_graph(p);
  const PlainTensors in = random_network_inputs(graph);
  const NetworkValues right = define_network(graph, in, true);
  Network network = make_network(graph, in);
  network.forward(labels_of(graph, in).data());
  network.backward();
  for (std::size_t i = 0; i < network.parameters().size(); ++i) {
    EXPECT_LT(error_of(gradient_of(network, i), right.gradients[i]), ResidualNetworkOp::bound(p) / 3)
        << network.parameters()[i].info.name;
  }
}

TEST(Network, RefusesGraphsThatNoDriverTakes) {
  const auto refusal_of = [](const NetworkGraph& graph) -> std::string {
    try {
      return Network::make(graph, {}).reason();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  using testing::HasSubstr;
  NetworkGraph padded = small_residual_network(2);
  padded.layers[3].src = padded.layers[6].src = 0;  // two convolutions that read another convolution, with padding
  for (const std::size_t i : {3, 6}) {
    auto& conv = std::get<ConvProblem>(padded.layers[i].problem);
    conv.stride_h = conv.stride_w = 4, conv.H = conv.W = 9;
  }
  EXPECT_THAT(refusal_of(padded), HasSubstr("put a batch normalisation between"));
  NetworkGraph unread = small_residual_network(2);
  std::get<BatchNormProblem>(unread.layers[12].problem).epilogue = NormEpilogue::relu;
  std::get<BatchNormProblem>(unread.layers[8].problem).epilogue = NormEpilogue::relu;
  EXPECT_THAT(refusal_of(unread), HasSubstr("a.shortcut_norm: no layer reads it"));
  NetworkGraph unequal = small_residual_network(2);
  auto& shortcut = std::get<ConvProblem>(unequal.layers[6].problem);
  shortcut.R = shortcut.S = 1, shortcut.pad_h = shortcut.pad_w = 0;
  EXPECT_THAT(refusal_of(unequal), HasSubstr("different padding"));
}

}  // namespace
}  // namespace brickwork
