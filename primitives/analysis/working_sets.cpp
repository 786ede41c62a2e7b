#include "primitives/analysis/working_sets.hpp"

#include <algorithm>

namespace brickwork {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

// The paper leaves out sizes of 1.
std::vector<Pair> sizes(const std::vector<Dependence>& dependences, std::int64_t Dependence::*nearest,
                        std::int64_t Dependence::*farthest) {
  std::vector<Pair> pairs;
  for (const Dependence& dependence : dependences) {
    if (dependence.farthest > 1) pairs.emplace_back(dependence.*nearest, dependence.*farthest);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

std::vector<Pair> working_set_sizes(const std::vector<Dependence>& dependences) {
  return sizes(dependences, &Dependence::nearest, &Dependence::farthest);
}

std::array<double, kPlaces> placed(const std::vector<Dependence>& dependences, const CacheHierarchy& caches) {
  std::array<double, kPlaces> bytes{};
  for (const auto& [nearest, farthest] : sizes(dependences, &Dependence::nearest_bytes, &Dependence::farthest_bytes)) {
    bool all = false, part = false;  // placed: the farther working set, the nearer one
    for (std::size_t cache = 0; cache < caches.bytes.size() && !all; ++cache) {
      const auto room = static_cast<double>(caches.bytes[cache]) - bytes[cache];
      if (static_cast<double>(farthest) <= room) {
        bytes[cache] += static_cast<double>(farthest);
        all = true;
      } else if (!part && static_cast<double>(nearest) <= room) {
        bytes[cache] += static_cast<double>(nearest);
        part = true;
      }
    }
    if (!all) bytes[static_cast<std::size_t>(CachePlace::memory)] += static_cast<double>(farthest);
  }
  return bytes;
}

}  // namespace brickwork
