// Compares our definition of a network's training with PyTorch's, both in f64.
#include "baselines/pytorch/pytorch_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "baselines/contender/checker.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/network_ops.hpp"
#include "primitives/network/op/residual_network.hpp"
#include "primitives/network/op/testing/small_networks.hpp"

namespace brickwork {
namespace {

// Runs both on the same random inputs. Returns the largest error of an output, as Tolerance measures it.
double difference(const NetworkGraph& graph, NetworkPart part, const NetworkGraph& definition) {
  const auto outputs = with_dtype(network_ops::outputs(graph, part), DType::f64);
  const PlainTensors in = random_network_inputs(graph);
  PlainTensors expected(outputs), found(outputs);
  network_ops::reference(definition, part, in, expected);
  poison(found);
  const auto training = pytorch::prepare_training(graph, part, in, {.threads = 2});
  training->pack();
  training->run();
  training->run();
  training->unpack(found);
  const Verdict verdict = compare(found, expected, {1e300, /*of_whole=*/true});
  EXPECT_EQ(verdict.status, Status::ok) << verdict.reason;
  return verdict.max_error;
}
double difference(const NetworkGraph& graph, NetworkPart part) { return difference(graph, part, graph); }

// The network with padding zeros counted in its average pooling.
NetworkGraph with_padded_average(NetworkGraph graph) {
  for (NetworkLayer& layer : graph.layers) {
    auto* const pool = std::get_if<PoolProblem>(&layer.problem);
    if (pool != nullptr && pool->kind == PoolKind::average) pool->kind = PoolKind::average_padded;
  }
  return graph;
}

constexpr NetworkPart kParts[] = {NetworkPart::forward, NetworkPart::backward, NetworkPart::step};

TEST(PytorchTraining, OfAResidualNetworkMatchesOurDefinition) {
  const auto graph = network_graph(parse_problem<ResidualNetwork>("N2 L14 H40 K10"));
  for (const NetworkPart part : kParts) EXPECT_LT(difference(graph, part), 1e-6);
}

TEST(PytorchTraining, OfEveryKindOfLayerMatchesOurDefinition) {
  const auto residual = small_residual_network(3);
  for (const NetworkGraph& graph : {residual, with_padded_average(residual), mlp_graph(4, {3, 8, 7, 5})}) {
    graph.validate();
    for (const NetworkPart part : kParts) EXPECT_LT(difference(graph, part), 1e-6);
  }
}

TEST(PytorchTraining, DiffersFromOurDefinitionOfAnotherNetwork) {
  const auto graph = network_graph(parse_problem<ResidualNetwork>("N2 L14 H40 K10"));
  const auto v1 = network_graph(parse_problem<ResidualNetwork>("N2 L14 H40 K10 v1"));
  EXPECT_GT(difference(graph, NetworkPart::backward, v1), 1e-3);
}

TEST(PytorchTraining, PassesTheChecksOfAContender) {
  for (const char* text : {"N6 C32 L3 step", "N5 C16 L2 forward", "N4 C24 L4 backward"}) {
    const auto problem = parse_problem<MlpProblem>(text);
    const auto data = make_checkable_test_data<MlpOp>(problem, Fill::floats);
    const Checked checked = check(pytorch::network<MlpProblem>(), problem, data, {.threads = 2});
    EXPECT_EQ(checked.verdict.status, Status::ok) << text << ": " << checked.verdict.reason;
    ASSERT_TRUE(checked.prepared);
    EXPECT_EQ(checked.prepared->implementation(), "eager:contiguous");
  }
}

TEST(PytorchTraining, RefusesInOneSentence) {
  NetworkGraph graph = small_residual_network(3);
  std::get<PoolProblem>(graph.layers[2].problem).pad_h = 2;  // more than half of the window
  const PlainTensors in = random_network_inputs(graph);
  try {
    pytorch::prepare_training(graph, NetworkPart::forward, in, {.threads = 1});
    FAIL() << "it was taken";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("pad should be at most half"));
    EXPECT_THAT(e.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace brickwork
