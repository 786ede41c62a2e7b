#include "experiments/harness/run/time_budget.hpp"

#include <algorithm>

namespace brickwork {

TimeBudget::TimeBudget(const Options& options, std::size_t problems, RunClock clock)
    : options_(options), problems_left_(problems), clock_(std::move(clock)), start_(clock_()) {}

void TimeBudget::start_problem() {
  const double now = clock_();
  const double left = start_ + options_.time_budget.value_or(0) - now;
  share_end_ = now + left / static_cast<double>(problems_left_--);
}

int TimeBudget::samples(const std::vector<CallCost>& contenders) const {
  if (!options_.time_budget) return options_.samples;
  double per_sample = 2 * 1.5 * options_.min_time;  // of the FMA peak and the loaded roof
  double fixed = 0;
  for (const CallCost& cost : contenders) {
    // One more call to warm up, and half as much again because a sample ends with a whole call.
    per_sample += cost.run_seconds + 1.5 * std::max(options_.min_time, cost.run_seconds);
    fixed += kPackSamples * (cost.pack_seconds + std::max(options_.min_time, cost.pack_seconds));
  }
  const double affordable = (share_end_ - clock_() - fixed) / per_sample;
  const int least = std::min(kLeastSamples, options_.samples);
  return static_cast<int>(std::clamp<double>(affordable, least, options_.samples));
}

}  // namespace brickwork
