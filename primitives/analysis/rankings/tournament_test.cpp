#include "primitives/analysis/rankings/tournament.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "primitives/analysis/rankings/testing/made_network.hpp"
#include "primitives/analysis/rankings/testing/made_variants.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

constexpr std::size_t kMemoryRead = 2 * kPlaces - 1;  // the feature

// The network written as the formula says.
double plain_probability(const RankingNetwork& network, const RankFeatures& first, const RankFeatures& second) {
  std::vector<double> values(first.begin(), first.end());
  values.insert(values.end(), second.begin(), second.end());
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const auto& [weights, bias] = network.layers[l];
    std::vector<double> sums(bias.begin(), bias.end());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      for (std::size_t c = 0; c < values.size(); ++c) {
        const double value = l > 0 ? std::max(values[c], 0.0) : values[c];
        sums[k] += static_cast<double>(weights[k * values.size() + c]) * value;
      }
    }
    values = sums;
  }
  return std::exp(values[0]) / (std::exp(values[0]) + std::exp(values[1]));
}

TEST(RankingGames, ProbabilitiesAreThoseOfTheFormula) {
  const auto features = rank_features(random_variants(37, 1));
  for (const auto& widths : {std::vector<std::size_t>{24, 16, 8, 2}, {5, 2}, {2}}) {
    const RankingNetwork network = random_network(widths, 2);
    RankingGames games(network, features);
    std::vector<std::size_t> opponents(features.size());  // two whole groups of lanes and a part of one
    std::iota(opponents.rbegin(), opponents.rend(), std::size_t{0});
    const auto found = games.play(3, opponents);
    for (std::size_t i = 0; i < opponents.size(); ++i) {
      EXPECT_NEAR(found[i], plain_probability(network, features[3], features[opponents[i]]), 1e-5) << i;
    }
  }
}

std::vector<Variant> reading(const std::vector<double>& bytes) {
  std::vector<Variant> variants(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) variants[i].facts.read.back() = bytes[i];
  return variants;
}

// The features are 0, 1/3, 2/3 and 1; a slope of 3 makes a difference of 1/3 a probability of 0.73.
TEST(Tournament, CostsAreMinusTheGamesWon) {
  const auto costs = tournament_costs(network_of_one_feature(kMemoryRead, 3), reading({7, 0, 1, 3}));
  EXPECT_THAT(costs, ElementsAre(testing::Ge(-1), testing::Le(-3), testing::Le(-2), testing::Le(-1)));
  for (const double cost : costs) EXPECT_LT(std::abs(cost) - std::floor(std::abs(cost)), 1);
}

TEST(Tournament, ProbabilitiesDecideWhereNobodyWins) {
  const auto costs = tournament_costs(network_of_one_feature(kMemoryRead, 0.5), reading({7, 0, 1, 3}));
  EXPECT_LT(costs[1], costs[2]);
  EXPECT_LT(costs[2], costs[3]);
  EXPECT_LT(costs[3], costs[0]);
  EXPECT_GT(costs[1], -1);
}

TEST(Tournament, ASingleVariantAndNoneHaveCosts) {
  const RankingNetwork network = random_network({4, 2}, 1);
  EXPECT_EQ(tournament_costs(network, random_variants(1, 1)).size(), 1U);
  EXPECT_TRUE(tournament_costs(network, {}).empty());
}

// With a network that sees one feature, the order of the finalists is that of the feature, and they come first.
TEST(Tournament, TheBestOfManyReachTheFinal) {
  const auto variants = random_variants(1000, 5);
  const auto costs =
      tournament_costs(network_of_one_feature(kMemoryRead, 50), variants, {.finalists = 100, .opponents = 20});
  std::vector<std::size_t> by_cost(variants.size());
  std::iota(by_cost.begin(), by_cost.end(), std::size_t{0});
  std::vector<std::size_t> by_bytes = by_cost;
  std::ranges::stable_sort(by_cost, {}, [&](std::size_t i) { return costs[i]; });
  std::ranges::stable_sort(by_bytes, {}, [&](std::size_t i) { return variants[i].facts.read.back(); });
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(by_cost[i], by_bytes[i]) << i;
}

TEST(Tournament, RepeatsItsBits) {
  const auto variants = random_variants(700, 5);
  const RankingNetwork network = random_network({24, 16, 8, 2}, 3);
  EXPECT_EQ(tournament_costs(network, variants), tournament_costs(network, variants));
}

}  // namespace
}  // namespace brickwork
