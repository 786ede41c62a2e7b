#include "primitives/network/op/network_definition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "primitives/network/op/residual_network.hpp"
#include "primitives/network/op/testing/small_networks.hpp"

namespace brickwork {
namespace {

double loss_of(const NetworkGraph& graph, const PlainTensors& in) { return define_network(graph, in, false).loss; }

// At a kink of a ReLU or a maximum the two one-sided differences are not equal.
TEST(NetworkDefinition, GradientsEqualFiniteDifferences) {
  for (const NetworkGraph& graph : {small_residual_network(3), mlp_graph(4, {3, 8, 7, 5})}) {
    graph.validate();
    PlainTensors in = random_network_inputs(graph);
    const NetworkValues values = define_network(graph, in, true);
    const auto parameters = parameters_of(graph);
    int smooth = 0, tried = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      double* const at = in.at<double>(parameters[i].info.name);
      const std::int64_t size = parameters[i].info.size();
      for (std::int64_t j = 0; j < size; j += 1 + size / 3) {
        constexpr double kStep = 1e-6;
        const double here = at[j];
        at[j] = here + kStep;
        const double above = loss_of(graph, in) - values.loss;
        at[j] = here - kStep;
        const double below = values.loss - loss_of(graph, in);
        at[j] = here;
        ++tried;
        if (std::abs(above - below) > 1e-10) continue;
        ++smooth;
        const double found = values.gradients[i][static_cast<std::size_t>(j)];
        EXPECT_NEAR(found, (above + below) / (2 * kStep), 1e-5 * std::max(1.0, std::abs(found)))
            << parameters[i].info.name << " " << j;
      }
    }
    EXPECT_GT(smooth, tried * 3 / 4);
  }
}

std::string refusal_of(const NetworkGraph& graph) {
  try {
    graph.validate();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(NetworkGraph, RefusesGraphsThatAreNoNetwork) {
  using testing::HasSubstr;
  const NetworkGraph right = small_residual_network(2);
  EXPECT_EQ(refusal_of(right), "");
  const auto changed = [&](const auto& change) {
    NetworkGraph graph = right;
    change(graph);
    return refusal_of(graph);
  };
  EXPECT_THAT(changed([](auto& g) {
                g.layers.pop_back();
                g.layers.pop_back();
              }),
              HasSubstr("last layer"));
  EXPECT_THAT(changed([](auto& g) { g.layers[3].src = 4; }), HasSubstr("must read an earlier layer"));
  EXPECT_THAT(changed([](auto& g) { g.layers[8].residual = kImages; }), HasSubstr("must read an earlier layer"));
  EXPECT_THAT(changed([](auto& g) { g.layers[8].residual = 4; }), HasSubstr("layer 8 (a.norm2): it adds"));
  EXPECT_THAT(changed([](auto& g) { g.layers[4].src = 1; }), HasSubstr("layer 4 (a.norm1): it takes"));
  EXPECT_THAT(changed([](auto& g) { std::get<BatchNormProblem>(g.layers[1].problem).name = "conv1"; }),
              HasSubstr("empty or another layer's"));
  EXPECT_THAT(
      changed([](auto& g) {
        g.layers.insert(g.layers.end() - 1, {BatchNormProblem{.name = "norm", .N = 2, .C = 9, .H = 1, .W = 1}, 15});
        g.layers.back().src = 16;
        std::get<FcProblem>(g.layers[15].problem).epilogue = {};
      }),
      HasSubstr("layer 16 (norm): only a fully connected layer may read another one"));
  const auto with = [&](std::size_t layer, const Epilogue& e) {
    return changed([&](auto& g) {
      if (auto* conv = std::get_if<ConvProblem>(&g.layers[layer].problem)) conv->epilogue = e;
      if (auto* fc = std::get_if<FcProblem>(&g.layers[layer].problem)) fc->epilogue = e;
    });
  };
  EXPECT_THAT(with(0, {.activation = Activation::relu}), HasSubstr("batch normalisation"));
  EXPECT_THAT(with(0, {.residual = true}), HasSubstr("a bias and an activation"));
  EXPECT_THAT(with(15, {.activation = Activation::gelu}), HasSubstr("gelu"));
  EXPECT_THAT(with(16, {.activation = Activation::relu}), HasSubstr("read by a fully connected layer"));
}

// v1.5 has 4.09 GMAC by the usual count, and v1 has 3.86 (torchvision's and the paper's networks).
TEST(ResidualNetwork, HasTheKnownNumbersOfParametersAndOperations) {
  const auto graph = network_graph(parse_problem<ResidualNetwork>("N1"));
  std::int64_t parameters = 0;
  for (const NetworkParameter& p : parameters_of(graph)) parameters += p.info.size();
  EXPECT_EQ(parameters, 25557032);
  EXPECT_NEAR(forward_flops(graph, false) / 2e9, 4.09, 0.01);
  EXPECT_NEAR(forward_flops(network_graph(parse_problem<ResidualNetwork>("N1 v1")), false) / 2e9, 3.86, 0.01);
  EXPECT_EQ(graph.dst_of(static_cast<int>(graph.layers.size()) - 2), (ImageSizes{1, 2048, 1, 1}));
  EXPECT_EQ(forward_flops(graph, false) * 3 - backward_flops(graph, false) - forward_flops(graph, false),
            std::get<ConvProblem>(graph.layers.front().problem).flops());  // no gradient of the images
}

TEST(ResidualNetwork, ReadsItsTextAndRefusesWrongText) {
  const auto p = parse_problem<ResidualNetwork>("N2 L14 H64 backward v1");
  EXPECT_EQ(to_string(p), "N2_L14_H64_K1000_backward_v1");
  EXPECT_EQ(p, parse_problem<ResidualNetwork>(to_string(p)));
  EXPECT_THROW(parse_problem<ResidualNetwork>("N2 L18"), std::invalid_argument);
  EXPECT_THROW(parse_problem<ResidualNetwork>("N2 sideways"), std::invalid_argument);
}

TEST(MlpProblem, HasLayersOfOneWidth) {
  const auto p = parse_problem<MlpProblem>("N7 C5 L3 forward");
  EXPECT_EQ(to_string(p), "N7_C5_L3_forward");
  const auto graph = network_graph(p);
  EXPECT_EQ(graph.layers.size(), 3U);
  EXPECT_EQ(forward_flops(graph, true), 3 * 2 * 7 * 25);
  EXPECT_THROW(parse_problem<MlpProblem>("N7 C5 L1001"), std::invalid_argument);
  EXPECT_THROW(mlp_graph(1, {3}), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
