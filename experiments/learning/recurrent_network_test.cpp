#include "experiments/learning/recurrent_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/learning/testing/network_gradients.hpp"

namespace brickwork {
namespace {

using Memory = RecurrentNetwork::Memory;
using Reads = RecurrentShape::Reads;
using States = RecurrentNetwork::States;

const RecurrentShape kShapes[] = {
    {.rnn = {.T = 4, .N = 3, .C = 2, .K = 5, .cell = RnnCell::lstm}, .outputs = 2},
    {.rnn = {.T = 3, .N = 2, .C = 3, .K = 4, .L = 2, .cell = RnnCell::lstm}, .outputs = 3, .reads = Reads::every_step},
    {.rnn = {.T = 4, .N = 3, .C = 2, .K = 5, .cell = RnnCell::rnn_tanh}, .outputs = 1, .reads = Reads::last_step},
};

std::vector<float> random_values(std::int64_t count, Random& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = random.between(-1, 1);
  return values;
}

struct Small {
  explicit Small(const RecurrentShape& shape) : network(shape, {.machine = {.threads = 2}}) {
    const RnnProblem& p = shape.rnn;
    network.initialise(random, Memory::over_all_steps);
    x = random_values(p.T * p.N * p.C, random);
    weights = random_values(shape.rows() * shape.outputs, random);
  }

  double sum() { return weighted_sum(network.forward(x.data()), weights); }

  Random random{1};
  RecurrentNetwork network;
  std::vector<float> x, weights;
};

class SmallNetworks : public testing::TestWithParam<RecurrentShape> {};

TEST_P(SmallNetworks, GradientsEqualFiniteDifferences) {
  Small small(GetParam());
  expect_finite_differences(small);
}

TEST_P(SmallNetworks, AStepGoesDownhill) {
  Small small(GetParam());
  expect_step_downhill(small);
}

INSTANTIATE_TEST_SUITE_P(Of, SmallNetworks, testing::ValuesIn(kShapes));

// Two windows with continued states equal one window of twice as many steps.
TEST(RecurrentNetwork, StatesContinueInTheNextWindow) {
  RecurrentShape half{.rnn = {.T = 3, .N = 2, .C = 2, .K = 4, .cell = RnnCell::lstm}, .outputs = 2}, whole = half;
  whole.rnn.T = 6;
  Small small(half), large(whole);
  std::ranges::copy(small.network.parameters(), large.network.parameters().begin());
  const auto outputs = large.network.forward(large.x.data());
  const std::vector<float> wanted(outputs.begin(), outputs.end());
  const float* const behind = large.x.data() + 3 * 2 * 2;
  const auto differs = [&](States states) {
    small.network.forward(large.x.data());
    const auto found = small.network.forward(behind, states);
    double most = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      most = std::max(most, std::abs(double{found[i]} - double{wanted[i]}));
    return most;
  };
  EXPECT_LT(differs(States::carry_on), 1e-5);
  EXPECT_GT(differs(States::begin), 1e-3);
}

TEST(RecurrentNetwork, GateBiasesGiveTheRequestedMemory) {
  const RecurrentShape shape{.rnn = {.T = 50, .N = 1, .C = 2, .K = 100, .cell = RnnCell::lstm}};
  RecurrentNetwork network(shape, {});
  Random random(1);
  const std::size_t bias = (2 + 100) * 4 * 100;
  const auto at = [&](std::size_t gate, std::size_t k) { return network.parameters()[bias + gate * 100 + k]; };
  network.initialise(random, Memory::short_at_first);
  for (std::size_t k = 0; k < 100; ++k) EXPECT_TRUE(at(0, k) == 0 && at(1, k) == 1 && at(2, k) == 0 && at(3, k) == 0);
  network.initialise(random, Memory::over_all_steps);
  double sum = 0;
  for (std::size_t k = 0; k < 100; ++k) {
    EXPECT_EQ(at(0, k), -at(1, k));
    const double steps = std::exp(double{at(1, k)});
    EXPECT_TRUE(steps > 0.999 && steps < 49.001);
    sum += steps;
  }
  EXPECT_NEAR(sum / 100, 25, 6);
}

}  // namespace
}  // namespace brickwork
