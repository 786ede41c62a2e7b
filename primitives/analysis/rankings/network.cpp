#include "primitives/analysis/rankings/network.hpp"

#include <utility>

#include "primitives/analysis/rankings/measured.hpp"
#include "primitives/analysis/rankings/tournament.hpp"

namespace brickwork {
namespace {

std::optional<RankingNetwork>& network_in_use() {
  static std::optional<RankingNetwork> network = shipped_ranking_network();
  return network;
}

}  // namespace

void use_ranking_network(std::optional<RankingNetwork> network) { network_in_use() = std::move(network); }

const std::optional<RankingNetwork>& ranking_network() { return network_in_use(); }

std::vector<double> costs_by_network(std::span<const Variant> variants, const CacheHierarchy& caches) {
  const auto& network = ranking_network();
  return network ? tournament_costs(*network, variants) : costs_by_measured(variants, caches);
}

}  // namespace brickwork
