// Keeps the weights of the neural ranking that were trained on this processor, so that later runs rank with them.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "primitives/analysis/rankings/ranking_network.hpp"
#include "primitives/planning/tuning/tuning_cache.hpp"

namespace brickwork {

std::string this_processor();  // its name and number, as weights name it

struct ChosenRankingNetwork {
  std::optional<RankingNetwork> network;
  std::string from;     // for people: "trained on this processor"; contains no path
  std::string warning;  // why kept weights are not used, or that there are none at all; empty otherwise
};

// The weights that are kept in the folder if they are of this version and processor, otherwise the shipped ones. If
// there are none either, the ranking 'network' has the order of 'measured', and the warning says so.
ChosenRankingNetwork find_ranking_network(const std::optional<std::filesystem::path>& folder = tuning_folder(),
                                          const std::optional<RankingNetwork>& shipped = shipped_ranking_network());

// Returns the file, or nullopt if it cannot be written. The weights count as those of this processor.
std::optional<std::filesystem::path> keep_ranking_network(
    RankingNetwork, const std::optional<std::filesystem::path>& folder = tuning_folder());

}  // namespace brickwork
