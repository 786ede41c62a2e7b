#include "primitives/analysis/rankings/trees.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace brickwork {
namespace {

double latency_of(const BytesByPlace& placed, const CacheHierarchy& caches) {
  return std::inner_product(placed.begin(), placed.end(), caches.latency.begin(), 0.0);
}

struct TreePlayer {
  BytesByPlace placed;
  double latency;
  std::int64_t variants;  // that have these working sets
  std::int64_t wins = 0;
};

void play_all(std::span<TreePlayer> players) {
  for (std::size_t i = 0; i < players.size(); ++i) {
    for (std::size_t j = i + 1; j < players.size(); ++j) {
      const Winner winner = better_by_tree(players[i].placed, players[j].placed);
      if (winner == Winner::first) players[i].wins += players[j].variants;
      if (winner == Winner::second) players[j].wins += players[i].variants;
    }
  }
}

}  // namespace

Winner better_by_tree(const BytesByPlace& first, const BytesByPlace& second) {
  const auto compare = [](double a, double b, double times) {
    return b > times * a ? Winner::first : a > times * b ? Winner::second : Winner::none;
  };
  const auto all = [](const BytesByPlace& placed) { return std::accumulate(placed.begin(), placed.end(), 0.0); };
  Winner winner = compare(all(first), all(second), 1.5);
  for (std::size_t place = kPlaces; winner == Winner::none && place-- > 0;) {
    winner = compare(first[place], second[place], 1.05);
  }
  return winner;
}

std::vector<double> costs_by_trees(std::span<const Variant> variants, const CacheHierarchy& caches,
                                   std::size_t most_players) {
  std::map<BytesByPlace, std::int64_t> counts;
  for (const Variant& variant : variants) ++counts[variant.facts.placed];
  std::vector<TreePlayer> players;
  for (const auto& [placed, count] : counts) players.push_back({placed, latency_of(placed, caches), count});
  std::ranges::stable_sort(players, {}, &TreePlayer::latency);
  play_all(std::span(players).first(std::min(most_players, players.size())));

  std::map<BytesByPlace, double> costs;
  for (std::size_t i = 0; i < players.size(); ++i) {
    const bool plays = i < most_players;
    costs[players[i].placed] = static_cast<double>(plays ? -players[i].wins : static_cast<std::int64_t>(i));
  }
  std::vector<double> found;
  for (const Variant& variant : variants) found.push_back(costs[variant.facts.placed]);
  return found;
}

std::vector<double> costs_by_trees(std::span<const Variant> variants, const CacheHierarchy& caches) {
  return costs_by_trees(variants, caches, kMostTreePlayers);
}

}  // namespace brickwork
