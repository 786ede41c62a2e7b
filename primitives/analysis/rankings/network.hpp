// The neural ranking with the weights that this program uses.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "primitives/analysis/ranking.hpp"
#include "primitives/analysis/rankings/ranking_network.hpp"

namespace brickwork {

// The network of all later rankings; until the first call it is the one that the build contains. Not to be called while
// a ranking runs.
void use_ranking_network(std::optional<RankingNetwork>);

const std::optional<RankingNetwork>& ranking_network();

// The tournament's costs. Without a network: those of the ranking 'measured'.
std::vector<double> costs_by_network(std::span<const Variant>, const CacheHierarchy&);

}  // namespace brickwork
