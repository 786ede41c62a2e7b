// PolyDL's pairwise decision trees (arXiv 2006.02230): every variant meets every other one, a small tree
// says which of the two is better, and the variants rank by the games that they win.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

enum class Winner { first, second, none };

// The tree compares the working sets that are placed in the caches and in memory: first all of them together, where the
// smaller ones win if the others are more than 1.5 times as large; then those in memory, L3, L2 and L1, in this order,
// where 1.05 times decides. Nobody wins if no comparison decides.
Winner better_by_tree(const BytesByPlace& first, const BytesByPlace& second);

// Minus the games that each variant wins. Variants with the same working sets play together, as their games end alike.
// At most `most_players` different working sets play; those with the largest latencies (working sets times latency)
// stay out and follow all others in the order of their latencies.
constexpr std::size_t kMostTreePlayers = 4096;
std::vector<double> costs_by_trees(std::span<const Variant>, const CacheHierarchy&, std::size_t most_players);

std::vector<double> costs_by_trees(std::span<const Variant>, const CacheHierarchy&);

}  // namespace brickwork
