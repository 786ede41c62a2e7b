#include "experiments/harness/terminal/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {
namespace {

constexpr const char* kClearLine = "\r\033[K";
constexpr double kAboveRoof = 1.03;  // further above the roof than its own spread explains

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(std::lround(seconds));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Progress::Progress(std::size_t problems, RunClock clock, std::int64_t cache_bytes)
    : problems_(problems),
      clock_(std::move(clock)),
      start_(clock_()),
      terminal_(isatty(STDOUT_FILENO) != 0),
      cache_bytes_(static_cast<double>(cache_bytes)) {}

void Progress::status(const std::string& what) {
  if (terminal_) show(fmt::format("{}[{}/{}] {}", kClearLine, done_ + 1, problems_, what));
}

void Progress::note(const std::string& line) { show(fmt::format("{}{}\n", terminal_ ? kClearLine : "", line)); }

void Progress::finished(const ProblemInfo& problem, const std::vector<Outcome>& outcomes, double limit_here) {
  const auto limit_of = [=](const Outcome& outcome) { return outcome.limit > 0 ? outcome.limit : limit_here; };
  bound_ = problem.bound;
  ++done_;
  std::string line = fmt::format("[{}/{}] {}", done_, problems_, problem.name);
  for (const auto& outcome : outcomes) {
    if (outcome.seconds.empty()) {
      line += fmt::format("  {} {}", outcome.contender, outcome.status);
      continue;
    }
    const double seconds = median(outcome.seconds), rate = problem.work() / seconds, limit = limit_of(outcome);
    line += fmt::format("  {} {:.1f}", outcome.contender, 1e-9 * rate);
    if (limit > 0) line += fmt::format(" ({:.0f}%)", 100 * rate / limit);
    if (std::ranges::count(order_, outcome.contender) == 0) order_.push_back(outcome.contender);
    Total& total = totals_[outcome.contender];
    total.work += problem.count * problem.work();
    total.seconds += problem.count * seconds;
    total.limit_work += problem.count * seconds * limit;
    ++total.problems;
  }
  if (bound_ == Bound::bytes && problem.bytes <= cache_bytes_) line += "  (fits in the caches)";
  const double left = elapsed() / static_cast<double>(done_) * static_cast<double>(problems_ - done_);
  note(line + fmt::format("  | {} elapsed, about {} left", clock_text(elapsed()), clock_text(left)));
  if (bound_ == Bound::bytes) return;  // what a cache keeps may be faster than the memory
  for (const auto& outcome : outcomes) {
    if (outcome.seconds.empty() || limit_of(outcome) == 0) continue;
    if (outcome.least_flop / median(outcome.seconds) > kAboveRoof * limit_of(outcome)) {
      note(fmt::format("warning: {} on {} is above the loaded roof: distrust this run", outcome.contender,
                       problem.name));
    }
  }
}

void Progress::summary() const {
  if (totals_.empty()) return;
  const bool bytes = bound_ == Bound::bytes;
  const bool judged = totals_.begin()->second.limit_work > 0;  // on the host
  show(fmt::format("\nall problems, weighted by count{}:\n{:<20}{:>10}{:>12}\n",
                   !judged ? ""
                   : bytes ? "; the stream is STREAM's triad out of memory"
                           : "; the roof is FMAs with a register tile's loads from L1",
                   "contender", bytes ? "GB/s" : "GFLOP/s",
                   !judged ? ""
                   : bytes ? "% of stream"
                           : "% of roof"));
  for (const auto& contender : order_) {
    const Total& t = totals_.at(contender);
    show(fmt::format("{:<20}{:>10.1f}{:>12}{}\n", contender, 1e-9 * t.work / t.seconds,
                     judged ? fmt::format("{:.1f}", 100 * t.work / t.limit_work) : "",
                     t.problems < done_ ? fmt::format("   ({} of {} problems)", t.problems, done_) : ""));
  }
}

}  // namespace brickwork
