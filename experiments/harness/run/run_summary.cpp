#include "experiments/harness/run/run_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/harness/rows/environment.hpp"
#include "kernels/base/result.hpp"

namespace brickwork {

bool RunSummary::is_absent(const std::string& contender) const { return std::ranges::count(absent_, contender) > 0; }

std::string RunSummary::absent_line() const {
  if (absent_.empty()) return "";
  return fmt::format("absent here: {}; brickwork --list --experiment {} says why", fmt::join(absent_, ", "),
                     options_.experiment);
}

void RunSummary::count(const Row& verdict) {
  if (!checks_.contains(verdict.contender)) order_.push_back(verdict.contender);
  Check& check = checks_[verdict.contender];
  const auto add = [](int& all, int& one) { ++all, ++one; };
  if (verdict.status == to_string(Status::ok)) {
    add(passed_, check.passed);
  } else if (verdict.status == to_string(Status::failed)) {
    add(failed_, check.failed);
  } else {
    add(skipped_, check.skipped);
  }
  if (verdict.max_error && *verdict.max_error > check.error) {  // not where it is NaN
    check.error = *verdict.max_error;
    check.problem = verdict.name;
  }
}

void RunSummary::count_lost(const Row& row) {
  --passed_;
  --checks_.at(row.contender).passed;
  count(row);
}

void RunSummary::samples(int of_one_problem) {
  fewest_ = problems_ == 0 ? of_one_problem : std::min(fewest_, of_one_problem);
  most_ = std::max(most_, of_one_problem);
  ++problems_;
  if (of_one_problem < options_.samples) ++with_fewer_;
}

std::string RunSummary::counts() const {
  return fmt::format("{} checks passed, {} failed, {} skipped", passed_, failed_, skipped_);
}

std::string RunSummary::fewer_samples() const {
  if (with_fewer_ == 0) return "";
  return fewest_ == most_ ? fmt::format("{} samples instead of {}", fewest_, options_.samples)
                          : fmt::format("{} to {} samples instead of {}", fewest_, most_, options_.samples);
}

std::string RunSummary::largest_error() const {
  const auto worst =
      std::ranges::max_element(checks_, {}, [](const auto& contender) { return contender.second.error; });
  if (worst == checks_.end() || worst->second.error < 0) return "";
  return fmt::format("largest error {:.3g} ({} on {})", worst->second.error, worst->first, worst->second.problem);
}

std::string RunSummary::brief_line(const Progress& progress) const {
  std::vector<std::string> parts{options_.check_only ? counts() : progress.totals().headline()};
  if (options_.check_only) parts.push_back(largest_error());
  if (failed_ > 0 && !options_.check_only) parts.push_back(fmt::format("{} failed", failed_));
  parts.push_back(fewer_samples());
  if (!absent_.empty()) parts.push_back(fmt::format("absent here: {}", fmt::join(absent_, ", ")));
  if (const auto warnings = environment_warnings(options_).size(); warnings > 0) {
    parts.push_back(fmt::format("{} warning{} in environment.json", warnings, warnings == 1 ? "" : "s"));
  }
  std::erase(parts, "");
  return fmt::format("{} in {}: {}", options_.experiment, clock_text(progress.elapsed()), fmt::join(parts, "; "));
}

std::vector<std::string> RunSummary::lines(const Progress& progress) const {
  if (options_.brief) return {brief_line(progress)};
  std::vector<std::string> lines;
  if (const std::string text = fewer_samples(); !text.empty()) {
    lines.push_back(fmt::format("{} of {} problems have {}, to keep to the time budget", with_fewer_, problems_, text));
  }
  const double elapsed = progress.elapsed();
  if (options_.time_budget && !options_.check_only && elapsed > 1.1 * *options_.time_budget) {
    lines.push_back(
        fmt::format("the run took {} instead of the {} of its time budget: checks and {} samples each took longer",
                    clock_text(elapsed), clock_text(*options_.time_budget), fewest_));
  }
  if (!options_.check_only) return lines;
  for (const auto& contender : order_) {
    const Check& check = checks_.at(contender);
    if (check.error < 0) continue;
    lines.push_back(fmt::format("{:<24} largest error {:<10.3g} on {}", contender, check.error, check.problem));
  }
  lines.push_back(counts());
  return lines;
}

}  // namespace brickwork
