#include "primitives/analysis/rankings/tournament.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace brickwork {
namespace {

constexpr float kWon = 0.7F;  // the paper's

// The games won, plus the mean probability to win one, which is less than 1.
double tournament_score(RankingGames& games, std::size_t player, std::span<const std::size_t> opponents) {
  const std::vector<float> probabilities = games.play(player, opponents);
  double wins = 0, sum = 0;
  for (std::size_t i = 0; i < opponents.size(); ++i) {
    if (opponents[i] == player) continue;
    wins += probabilities[i] > kWon ? 1 : 0;
    sum += static_cast<double>(probabilities[i]);
  }
  return wins + sum / static_cast<double>(opponents.size() + 1);
}

}  // namespace

RankingGames::RankingGames(const RankingNetwork& network, std::span<const RankFeatures> features) : network_(network) {
  const auto& [weights, bias] = network.layers.front();
  std::size_t most = 0;
  for (const RankingNetwork::Layer& layer : network.layers) most = std::max(most, layer.K());
  values_.resize(most * kLanes), next_.resize(most * kLanes);
  for (const RankFeatures& row : features) {
    for (std::size_t k = 0; k < bias.size(); ++k) {
      const float* const of_first = weights.data() + k * 2 * kRankFeatures;
      first_.push_back(std::inner_product(row.begin(), row.end(), of_first, bias[k]));
      second_.push_back(std::inner_product(row.begin(), row.end(), of_first + kRankFeatures, 0.0F));
    }
  }
}

std::vector<float> RankingGames::play(std::size_t player, std::span<const std::size_t> opponents) {
  std::vector<float> probabilities(opponents.size());
  const float* const sums = first_.data() + player * network_.layers.front().K();
  for (std::size_t begin = 0; begin < opponents.size(); begin += kLanes) {
    play(sums, opponents.subspan(begin, std::min(kLanes, opponents.size() - begin)), probabilities.data() + begin);
  }
  return probabilities;
}

void RankingGames::play(const float* player, std::span<const std::size_t> opponents, float* probabilities) {
  const std::size_t K1 = network_.layers.front().K();
  for (std::size_t lane = 0; lane < opponents.size(); ++lane) {
    const float* const opponent = second_.data() + opponents[lane] * K1;
    for (std::size_t k = 0; k < K1; ++k) values_[k * kLanes + lane] = player[k] + opponent[k];
  }
  for (const auto& [weights, bias] : std::span(network_.layers).subspan(1)) {
    const std::size_t C = weights.size() / bias.size();
    for (float& value : std::span(values_).first(C * kLanes)) value = std::max(value, 0.0F);
    for (std::size_t k = 0; k < bias.size(); ++k) {
      float sums[kLanes];
      std::fill_n(sums, kLanes, bias[k]);
      for (std::size_t c = 0; c < C; ++c) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += weights[k * C + c] * values_[c * kLanes + lane];
      }
      std::copy_n(sums, kLanes, next_.data() + k * kLanes);
    }
    std::swap(values_, next_);
  }
  for (std::size_t lane = 0; lane < opponents.size(); ++lane) {
    probabilities[lane] = 1 / (1 + std::exp(values_[kLanes + lane] - values_[lane]));
  }
}

std::vector<double> tournament_costs(const RankingNetwork& network, std::span<const Variant> variants,
                                     const TournamentLimits& limits) {
  const std::vector<RankFeatures> features = rank_features(variants);
  RankingGames games(network, features);
  std::vector<double> costs(variants.size());
  std::vector<std::size_t> players(variants.size());
  std::iota(players.begin(), players.end(), std::size_t{0});
  const auto play_all = [&](std::span<const std::size_t> opponents, double ahead) {
    for (const std::size_t player : players) costs[player] = -ahead - tournament_score(games, player, opponents);
  };
  double ahead = 0;
  if (players.size() > limits.finalists) {
    std::vector<std::size_t> opponents;
    for (std::size_t i = 0; i < limits.opponents; ++i) opponents.push_back(i * variants.size() / limits.opponents);
    play_all(opponents, 0);
    std::ranges::stable_sort(players, {}, [&](std::size_t player) { return costs[player]; });
    players.resize(limits.finalists);
    ahead = static_cast<double>(limits.opponents + 1);
  }
  play_all(std::vector(players), ahead);
  return costs;
}

}  // namespace brickwork
