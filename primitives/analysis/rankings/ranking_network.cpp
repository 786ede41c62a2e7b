#include "primitives/analysis/rankings/ranking_network.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "primitives/analysis/rankings/rank_features.hpp"
#include "primitives/analysis/rankings/shipped_weights.hpp"

namespace brickwork {
namespace {

using Json = nlohmann::ordered_json;

double four_decimals(float weight) { return std::round(static_cast<double>(weight) * 1e4) / 1e4; }

Json json_of(const std::vector<float>& weights) {
  Json numbers = Json::array();
  for (const float weight : weights) numbers.push_back(four_decimals(weight));
  return numbers;
}

void check(const RankingNetwork& network) {
  std::size_t inputs = 2 * kRankFeatures;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const auto& [weights, bias] = network.layers[l];
    if (bias.empty() || weights.size() != bias.size() * inputs) {
      throw std::invalid_argument(
          fmt::format("its layer {} has {} weights and {} biases where each bias needs {} weights", l + 1,
                      weights.size(), bias.size(), inputs));
    }
    inputs = bias.size();
  }
  if (network.layers.empty() || inputs != 2) throw std::invalid_argument("its last layer must have 2 outputs");
}

}  // namespace

RankingNetwork rounded(RankingNetwork network) {
  for (auto& [weights, bias] : network.layers) {
    for (auto* numbers : {&weights, &bias}) {
      for (float& number : *numbers) number = static_cast<float>(four_decimals(number));
    }
  }
  return network;
}

std::string to_string(const RankingNetwork& network) {
  Json layers = Json::array();
  for (const auto& [weights, bias] : network.layers) {
    layers.push_back({{"weights", json_of(weights)}, {"bias", json_of(bias)}});
  }
  return Json{{"version", kRankingNetworkVersion}, {"processor", network.processor}, {"layers", std::move(layers)}}
             .dump() +
         '\n';
}

RankingNetwork parse_ranking_network(std::string_view text) {
  RankingNetwork network;
  try {
    const Json json = Json::parse(text);
    if (const int version = json.at("version"); version != kRankingNetworkVersion) {
      throw std::invalid_argument(
          fmt::format("its version is {}, and this program's is {}", version, kRankingNetworkVersion));
    }
    network.processor = json.at("processor").get<std::string>();
    for (const Json& layer : json.at("layers")) {
      network.layers.push_back(
          {layer.at("weights").get<std::vector<float>>(), layer.at("bias").get<std::vector<float>>()});
    }
  } catch (const Json::exception&) {
    throw std::invalid_argument("it is no JSON object with version, processor and layers of weights and biases");
  }
  check(network);
  return network;
}

const std::optional<RankingNetwork>& shipped_ranking_network() {
  static const std::optional<RankingNetwork> shipped =
      kShippedWeights.empty() ? std::nullopt : std::optional(parse_ranking_network(kShippedWeights));
  return shipped;
}

}  // namespace brickwork
