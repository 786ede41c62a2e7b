#include "primitives/analysis/ranking.hpp"
#include "primitives/analysis/rankings/latency.hpp"
#include "primitives/analysis/rankings/lru.hpp"
#include "primitives/analysis/rankings/measured.hpp"
#include "primitives/analysis/rankings/network.hpp"
#include "primitives/analysis/rankings/trees.hpp"
#include "primitives/analysis/working_sets.hpp"

namespace brickwork {

std::span<const Ranking> rankings() {
  static constexpr Ranking kRankings[] = {
      {"measured", "the time as a sum of multiply-adds, calls and data that come from each cache, as measured here",
       costs_by_measured},
      {"latency", "PolyDL's heuristic: working sets times the latency of the place that holds them", costs_by_latency,
       true},
      {"trees", "PolyDL's decision trees, by which each variant meets each other", costs_by_trees, true},
      {"network", "PolyDL's tournament of a small neural network", costs_by_network, true},
      {"lru", "a simulation of the caches over the blocks that calls touch, after parlooper", costs_by_lru},
  };
  return kRankings;
}

void place_working_sets(std::span<Variant> variants, const CacheHierarchy& caches) {
  for (Variant& variant : variants) {
    if (const auto found = dependences(variant.nest)) variant.facts.placed = placed(*found, caches);
  }
}

const Ranking& best_ranking() { return rankings().front(); }

}  // namespace brickwork
