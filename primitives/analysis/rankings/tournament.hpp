// The paper's tournament of the neural ranking (arXiv 2006.02230): every variant meets the others, and the
// network says with which probability it is the faster one.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "primitives/analysis/ranking.hpp"
#include "primitives/analysis/rankings/rank_features.hpp"
#include "primitives/analysis/rankings/ranking_network.hpp"

namespace brickwork {

// Games between variants of one problem. The first layer's sums of each variant are computed once, not for each game.
class RankingGames {
 public:
  // The network must outlive this object.
  RankingGames(const RankingNetwork&, std::span<const RankFeatures>);

  // The probabilities that the player is faster than each opponent: indices of the features.
  std::vector<float> play(std::size_t player, std::span<const std::size_t> opponents);

 private:
  static constexpr std::size_t kLanes = 16;  // games at a time

  void play(const float* player, std::span<const std::size_t> opponents, float* probabilities);

  const RankingNetwork& network_;
  std::vector<float> first_, second_;  // [variant][K]: the first layer's sums, of the first and the second variant
  std::vector<float> values_, next_;   // [feature][lane] of a layer
};

struct TournamentLimits {
  std::size_t finalists = 512, opponents = 64;
};

// Minus the number of games that a variant wins with a probability above 0.7; the mean probability decides between
// equal numbers. If there are more variants than finalists, all play against some opponents, which lie evenly among
// them; then the best ones play the final, each against each, and come before the others. Four thousand variants take a
// quarter of a second.
std::vector<double> tournament_costs(const RankingNetwork&, std::span<const Variant>, const TournamentLimits& = {});

}  // namespace brickwork
