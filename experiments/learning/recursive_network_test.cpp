#include "experiments/learning/recursive_network.hpp"

#include <gtest/gtest.h>

#include "experiments/learning/clip.hpp"
#include "experiments/learning/listops_data.hpp"
#include "experiments/learning/testing/network_gradients.hpp"
#include "primitives/recursive/op/cells.hpp"
#include "primitives/softmax_loss/softmax_loss.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kStructures = 4;

RecursiveShape small_shape(RecursiveModel model, std::int64_t H, std::int64_t N) {
  return {.cell = &cell_of(model),
          .H = H,
          .tokens = kListOpsTokens,
          .most_children = model == RecursiveModel::lstm ? 1 : 5,
          .N = N,
          .outputs = kListOpsDigits};
}

ListOpsStructure structure_for(RecursiveModel model) {
  return model == RecursiveModel::lstm ? ListOpsStructure::sequence : ListOpsStructure::tree;
}

struct SmallRecursive {
  explicit SmallRecursive(RecursiveModel model)
      : network(small_shape(model, 6, kStructures), {.machine = {.threads = 2}}) {
    network.initialise(random);
    std::vector<ListOpsExpression> expressions;
    for (int depth = 0; depth < kStructures; ++depth) expressions.push_back(draw_listops(depth, random));
    minibatch = listops_minibatch(expressions, structure_for(model));
    weights.resize(kStructures * kListOpsDigits);
    for (float& weight : weights) weight = random.between(-1, 1);
  }

  double sum() { return weighted_sum(network.forward(minibatch), weights); }

  Random random{1};
  RecursiveNetwork network;
  TokenForest minibatch;
  std::vector<float> weights;
};

class SmallRecursiveNetworks : public testing::TestWithParam<RecursiveModel> {};

TEST_P(SmallRecursiveNetworks, GradientsEqualFiniteDifferences) {
  SmallRecursive small(GetParam());
  EXPECT_GT(expect_finite_differences(small), 0.1);
}

TEST_P(SmallRecursiveNetworks, AStepGoesDownhill) {
  SmallRecursive small(GetParam());
  expect_step_downhill(small);
}

INSTANTIATE_TEST_SUITE_P(Of, SmallRecursiveNetworks, testing::Values(RecursiveModel::tree_lstm, RecursiveModel::lstm));

// The values [minibatch] of expressions of one operation, or those of other expressions.
enum class Labels { right, shuffled };

struct Learned {
  double first_loss, last_loss, accuracy;  // of the first and last ten minibatches; of new expressions
};

Learned learned(RecursiveModel model, Labels labels) {
  constexpr std::int64_t kMinibatch = 32, kSteps = 300;
  Random random(1);
  const ListOpsData data(500);
  RecursiveNetwork network(small_shape(model, 32, kMinibatch), {});
  network.initialise(random);
  SoftmaxLoss loss({.N = kMinibatch, .C = kListOpsDigits}, {});
  std::vector<float> dlogits(kMinibatch * kListOpsDigits);
  std::vector<ListOpsExpression> expressions(kMinibatch);
  Learned found{};
  for (std::int64_t i = 0; i < kSteps; ++i) {
    for (ListOpsExpression& expression : expressions) expression = data.draw(1, random);
    auto values = listops_values(expressions);
    if (labels == Labels::shuffled) random.shuffle(values);
    const TokenForest minibatch = listops_minibatch(expressions, structure_for(model));
    const double now = double{loss.run(network.forward(minibatch).data(), values.data(), dlogits.data())};
    if (i < 10) found.first_loss += now / 10;
    if (i >= kSteps - 10) found.last_loss += now / 10;
    network.backward(dlogits.data());
    clip_by_norm(network.gradients(), 0.3);
    network.step({.rate = 0.5F, .momentum = 0.9F, .decay = 0});
  }
  constexpr int kTestMinibatches = 10;
  for (int i = 0; i < kTestMinibatches; ++i) {
    for (ListOpsExpression& expression : expressions) expression = data.draw(1, random);
    const auto values = listops_values(expressions);
    const TokenForest minibatch = listops_minibatch(expressions, structure_for(model));
    const auto logits = network.forward(minibatch);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto row = logits.subspan(n * kListOpsDigits, kListOpsDigits);
      found.accuracy +=
          std::ranges::max_element(row) - row.begin() == values[n] ? 1.0 / (kMinibatch * kTestMinibatches) : 0;
    }
  }
  return found;
}

TEST_P(SmallRecursiveNetworks, AShortTrainingLearnsAndOneOnShuffledValuesStaysAtChance) {
  const Learned right = learned(GetParam(), Labels::right), shuffled = learned(GetParam(), Labels::shuffled);
  EXPECT_LT(right.last_loss, 0.7 * right.first_loss);
  EXPECT_GT(right.accuracy, 0.4);
  EXPECT_GT(shuffled.last_loss, 0.9 * shuffled.first_loss);
  EXPECT_LT(shuffled.accuracy, 0.2);
}

}  // namespace
}  // namespace brickwork
