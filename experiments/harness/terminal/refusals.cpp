#include "experiments/harness/terminal/refusals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace brickwork {
namespace {

auto key_of(const Refused& refused) { return std::tie(refused.status, refused.reason, refused.contender); }

// Contenders that share all else in one line.
template <class Shares, class Line>
std::vector<std::string> lines_of(const std::vector<Refused>& all, const Shares& shares, const Line& line) {
  std::vector<std::string> lines;
  std::vector<bool> said(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (said[i]) continue;
    std::vector<std::string> contenders;
    for (std::size_t other = i; other < all.size(); ++other) {
      if (said[other] || !shares(all[i], all[other])) continue;
      contenders.push_back(all[other].contender);
      said[other] = true;
    }
    lines.push_back(line(fmt::format("{}", fmt::join(contenders, ", ")), all[i]));
  }
  return lines;
}

bool share_reason(const Refused& a, const Refused& b) { return a.status == b.status && a.reason == b.reason; }

}  // namespace

std::vector<std::string> Refusals::first_met(const std::string& problem, const std::vector<Refused>& all) {
  std::vector<Refused> fresh;
  for (const Refused& refused : all) {
    if (++problems_[key_of(refused)] > 1) continue;
    fresh.push_back(refused);
    order_.push_back(refused);
  }
  return lines_of(fresh, share_reason, [&](const std::string& contenders, const Refused& refused) {
    return fmt::format("  {} {} on {}: {}", contenders, refused.status, problem, refused.reason);
  });
}

std::vector<std::string> Refusals::met_again() const {
  const auto count = [&](const Refused& refused) { return problems_.at(key_of(refused)); };
  std::vector<Refused> again;
  std::ranges::copy_if(order_, std::back_inserter(again), [&](const Refused& refused) { return count(refused) > 1; });
  const auto shares = [&](const Refused& a, const Refused& b) { return share_reason(a, b) && count(a) == count(b); };
  return lines_of(again, shares, [&](const std::string& contenders, const Refused& refused) {
    return fmt::format("{} {} on {} problems: {}", contenders, refused.status, count(refused), refused.reason);
  });
}

}  // namespace brickwork
