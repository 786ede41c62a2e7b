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

namespace {

struct Cost {
  double per_sample = 0, fixed = 0;  // seconds
};

Cost cost_of(const std::vector<CallCost>& contenders, double min_time) {
  Cost cost{.per_sample = 2 * 1.5 * min_time};  // of the FMA peak and the loaded roof
  for (const CallCost& call : contenders) {
    // One more call to warm up, and half as much again because a sample ends with a whole call.
    cost.per_sample += call.run_seconds + 1.5 * std::max(min_time, call.run_seconds);
    cost.fixed += kPackSamples * (call.pack_seconds + std::max(min_time, call.pack_seconds));
  }
  return cost;
}

}  // namespace

int TimeBudget::samples(const std::vector<CallCost>& contenders) const {
  if (!options_.time_budget) return options_.samples;
  const auto [per_sample, fixed] = cost_of(contenders, options_.min_time);
  const double affordable = (share_end_ - clock_() - fixed) / per_sample;
  const int least = std::min(kLeastSamples, options_.samples);
  return static_cast<int>(std::clamp<double>(affordable, least, options_.samples));
}

double TimeBudget::least(const Options& options, std::size_t problems, std::size_t contenders) {
  const auto [per_sample, fixed] = cost_of(std::vector<CallCost>(contenders), options.min_time);
  return static_cast<double>(problems) * (std::min(kLeastSamples, options.samples) * per_sample + fixed);
}

}  // namespace brickwork
