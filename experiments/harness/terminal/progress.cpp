#include "experiments/harness/terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {
namespace {

constexpr const char* kClearLine = "\r\033[K";
constexpr double kAboveRoof = 1.03;  // further above the roof than its own spread explains

// Four digits, and no exponent for a network that takes seconds.
std::string milliseconds(double seconds) {
  return seconds < 1 ? fmt::format("{:#.4g}", 1e3 * seconds) : fmt::format("{:.0f}", 1e3 * seconds);
}

// "  onednn                  58.0 GFLOP/s     2.252 ms (2.250 to 2.260)   90 % of the loaded roof"
std::string result_line(const ProblemInfo& problem, const Outcome& outcome, double limit, std::size_t width) {
  const double seconds = median(outcome.seconds), rate = problem.work() / seconds;
  std::string time = milliseconds(seconds) + " ms";
  if (const auto interval = median_interval(outcome.seconds)) {
    time += fmt::format(" ({} to {})", milliseconds(interval->first), milliseconds(interval->second));
  }
  const std::string share =
      limit > 0 ? fmt::format("  {:3.0f} % of {}", 100 * rate / limit, limit_words(problem.bound)) : "";
  return fmt::format("  {:<{}} {:>8.1f} {}  {:<30}{}", outcome.contender, width, 1e-9 * rate, rate_unit(problem.bound),
                     time, share);
}

}  // namespace

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(std::lround(seconds));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

Progress::Progress(std::size_t problems, bool brief, RunClock clock, std::int64_t cache_bytes)
    : problems_(problems),
      brief_(brief),
      clock_(std::move(clock)),
      start_(clock_()),
      terminal_(shown_on_terminal()),
      cache_bytes_(static_cast<double>(cache_bytes)) {}

void Progress::status(const std::string& what) {
  if (terminal_) show(fmt::format("{}[{}/{}] {}", kClearLine, done_ + 1, problems_, what));
}

void Progress::note(const std::string& line) { show(fmt::format("{}{}\n", terminal_ ? kClearLine : "", line)); }

void Progress::detail(const std::string& line) {
  if (!brief_) note(line);
}

void Progress::finished(const ProblemInfo& problem, const std::vector<Outcome>& outcomes, double limit_here) {
  ++done_;
  const double left = elapsed() / static_cast<double>(done_) * static_cast<double>(problems_ - done_);
  const bool in_caches = problem.bound == Bound::bytes && problem.bytes <= cache_bytes_;
  detail(fmt::format("[{}/{}] {}{}  | {} elapsed, about {} left", done_, problems_, problem.name,
                     in_caches ? " (fits in the caches)" : "", clock_text(elapsed()), clock_text(left)));
  std::size_t width = 22;
  for (const auto& outcome : outcomes) width = std::max(width, outcome.contender.size());
  for (const auto& outcome : outcomes) {
    if (outcome.seconds.empty()) continue;
    const double limit = outcome.limit > 0 ? outcome.limit : limit_here, seconds = median(outcome.seconds);
    detail(result_line(problem, outcome, limit, width));
    totals_.add(problem, outcome.contender, outcome.ours, seconds, limit);
    // A cache may be faster than the memory: nothing to distrust.
    if (problem.bound == Bound::flops && limit > 0 && outcome.least_flop / seconds > kAboveRoof * limit) {
      above_roof_.push_back(fmt::format("{} on {}", outcome.contender, problem.name));
    }
  }
  totals_.end_problem();
}

void Progress::summary() {
  if (problems_ > 1 && !brief_ && !totals_.empty()) {
    note("");
    show(totals_.table());
  }
  if (above_roof_.empty()) return;
  note(fmt::format("warning: {} {} above the loaded roof, first {}: distrust this run", above_roof_.size(),
                   above_roof_.size() == 1 ? "result is" : "results are", above_roof_.front()));
}

}  // namespace brickwork
