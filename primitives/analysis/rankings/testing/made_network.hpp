// Networks of the neural ranking whose answers follow from the features.
#pragma once
#include <cstdint>
#include <random>

#include "primitives/analysis/rankings/rank_features.hpp"
#include "primitives/analysis/rankings/ranking_network.hpp"

namespace brickwork {

// Says that the variant with the smaller feature is faster, the surer the larger `slope` is.
inline RankingNetwork network_of_one_feature(std::size_t feature, float slope) {
  RankingNetwork network{
      .processor = "a processor",
      .layers = {{.weights = {}, .bias = {0, 0}}, {.weights = {slope, 0, 0, slope}, .bias = {0, 0}}}};
  std::vector<float>& weights = network.layers.front().weights;
  weights.resize(2 * 2 * kRankFeatures);
  weights[kRankFeatures + feature] = 1;  // output 0: how much more the second one has
  weights[feature] = -1;
  weights[2 * kRankFeatures + feature] = 1;  // output 1: how much more the first one has
  weights[3 * kRankFeatures + feature] = -1;
  return network;
}

inline RankingNetwork random_network(const std::vector<std::size_t>& widths, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto numbers = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random()) * 0x1p-32F - 0.5F;
    return values;
  };
  RankingNetwork network{.processor = "random", .layers = {}};
  std::size_t C = 2 * kRankFeatures;
  for (const std::size_t K : widths) {
    network.layers.push_back({numbers(K * C), numbers(K)});
    C = K;
  }
  return network;
}

}  // namespace brickwork
