#include "primitives/planning/tuning/ranking_weights.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "primitives/planning/machine/machine.hpp"
#include "primitives/planning/tuning/kept_file.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "train them anew with learn --task plan-ranking, or delete the file";

fs::path weights_file(const fs::path& folder) { return folder / "plan-ranking.json"; }

RankingNetwork read_weights(const fs::path& file) {
  std::ifstream in(file);
  return parse_ranking_network({std::string(std::istreambuf_iterator<char>(in), {})});
}

}  // namespace

std::string this_processor() { return fmt::format("{} ({})", machine().cpu, machine().cpu_id); }

ChosenRankingNetwork find_ranking_network(const std::optional<fs::path>& folder,
                                          const std::optional<RankingNetwork>& shipped) {
  ChosenRankingNetwork chosen;
  if (std::error_code error; folder && fs::exists(weights_file(*folder), error)) {
    const std::string file = weights_file(*folder).string();
    try {
      RankingNetwork kept = read_weights(file);
      if (kept.processor == this_processor()) return {std::move(kept), "trained on this processor", {}};
      chosen.warning = fmt::format("the weights in {} are those of another processor, '{}', and are not used: {}", file,
                                   kept.processor, kRemedy);
    } catch (const std::invalid_argument& e) {
      chosen.warning =
          fmt::format("{} has no weights of a ranking that can be used, as {}: {}", file, e.what(), kRemedy);
    }
  }
  chosen.network = shipped;
  if (shipped) {
    chosen.from = fmt::format("shipped, trained on {}", shipped->processor);
    return chosen;
  }
  chosen.from = "no weights: the order of 'measured'";
  if (chosen.warning.empty()) {
    chosen.warning =
        "there are no weights for the ranking 'network', so that it has the order of 'measured': train them with learn "
        "--task plan-ranking";
  }
  return chosen;
}

std::optional<fs::path> keep_ranking_network(RankingNetwork network, const std::optional<fs::path>& folder) {
  network.processor = this_processor();
  if (!folder || !replace_file(weights_file(*folder), to_string(network))) return std::nullopt;
  return weights_file(*folder);
}

}  // namespace brickwork
