#include "experiments/harness/terminal/refusals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace brickwork {

std::vector<std::string> Refusals::first_met(const std::string& problem, const std::vector<Refused>& all) {
  std::vector<std::pair<Refused, std::vector<std::string>>> fresh;  // with all contenders that share status and reason
  for (const Refused& refused : all) {
    if (!met_.emplace(refused.contender, refused.status, refused.reason).second) continue;
    const auto shared = std::ranges::find_if(fresh, [&](const auto& one) {
      return one.first.status == refused.status && one.first.reason == refused.reason;
    });
    if (shared == fresh.end()) {
      fresh.push_back({refused, {refused.contender}});
    } else {
      shared->second.push_back(refused.contender);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [refused, contenders] : fresh) {
    lines.push_back(
        fmt::format("  {} {} on {}: {}", fmt::join(contenders, ", "), refused.status, problem, refused.reason));
  }
  return lines;
}

}  // namespace brickwork
