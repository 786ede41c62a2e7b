#include "experiments/harness/terminal/totals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brickwork {

void Totals::add(const ProblemInfo& problem, const std::string& contender, bool ours, double seconds, double limit) {
  bound_ = problem.bound;
  if (!of_.contains(contender)) order_.push_back(contender);
  Total& total = of_[contender];
  total.ours = ours;
  total.work += problem.count * problem.work();
  total.seconds += problem.count * seconds;
  total.limit_work += problem.count * seconds * limit;
  total.weighted[problem.id] = problem.count * seconds;
}

std::string Totals::table() const {
  if (of_.empty()) return "";
  const bool judged = of_.begin()->second.limit_work > 0;  // not on a device
  std::string text = fmt::format("{:<24}{:>10}{:>14}{}\n", "all problems", rate_unit(bound_), "ms",
                                 !judged ? "" : fmt::format("{:>26}", fmt::format("share of {}", limit_words(bound_))));
  for (const auto& contender : order_) {
    const Total& total = of_.at(contender);
    text += fmt::format("{:<24}{:>10.1f}{:>14.3f}", contender, 1e-9 * total.work / total.seconds, 1e3 * total.seconds);
    if (judged) text += fmt::format("{:>24.1f} %", 100 * total.work / total.limit_work);
    if (total.weighted.size() < problems_) {
      text += fmt::format("   ({} of {} problems)", total.weighted.size(), problems_);
    }
    text += '\n';
  }
  return text;
}

const std::string* Totals::fastest(bool ours) const {
  const std::string* best = nullptr;
  const auto cost = [&](const Total& total) {  // lower is better: more problems, then less time for the work
    return std::pair(-static_cast<double>(total.weighted.size()), total.seconds / total.work);
  };
  for (const auto& contender : order_) {
    const Total& total = of_.at(contender);
    if (total.ours == ours && (best == nullptr || cost(total) < cost(of_.at(*best)))) best = &contender;
  }
  return best;
}

std::string Totals::rate(const Total& total) const {
  const std::string share =
      total.limit_work > 0 ? fmt::format(" ({:.0f} % of {})", 100 * total.work / total.limit_work, limit_words(bound_))
                           : "";
  return fmt::format("{:.1f} {}{}", 1e-9 * total.work / total.seconds, rate_unit(bound_), share);
}

std::string Totals::headline() const {
  const std::string *ours = fastest(true), *other = fastest(false);
  const std::string* const first = ours != nullptr ? ours : other;
  if (first == nullptr) return "nothing was timed";
  std::string text = fmt::format("{} {}", *first, rate(of_.at(*first)));
  if (ours == nullptr || other == nullptr) return text;
  double our_seconds = 0, other_seconds = 0;
  for (const auto& [problem, seconds] : of_.at(*ours).weighted) {
    const auto theirs = of_.at(*other).weighted.find(problem);
    if (theirs == of_.at(*other).weighted.end()) continue;
    our_seconds += seconds;
    other_seconds += theirs->second;
  }
  if (our_seconds == 0) return text;
  return text + fmt::format(", {:.2f} times as fast as {}", other_seconds / our_seconds, *other);
}

}  // namespace brickwork
