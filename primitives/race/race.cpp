#include "race.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace brickwork {

double steady_race_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Racer racer_of(std::function<void()> work, double seconds, const RaceClock& clock) {
  const double start = clock();
  work();
  const double one_call = clock() - start;
  constexpr double kMostCalls = 1e6;  // where a clock does not see a call at all
  const double calls = one_call > 0 ? std::clamp(seconds / one_call, 1.0, kMostCalls) : kMostCalls;
  return {std::move(work), static_cast<std::int64_t>(calls), one_call < 3 * seconds};
}

double take_sample(const Racer& racer, const RaceClock& clock) {
  if (racer.warms_up) racer.work();
  const double start = clock();
  for (std::int64_t i = 0; i < racer.calls; ++i) racer.work();
  return (clock() - start) / static_cast<double>(racer.calls);
}

double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, at);
  return *at;
}

void Duel::add_pair() {
  const bool champion_first = ratios_.size() % 2 == 0;
  const double first = take_sample(champion_first ? champion_ : challenger_, clock_);
  const double second = take_sample(champion_first ? challenger_ : champion_, clock_);
  ratios_.push_back(champion_first ? second / first : first / second);
}

double Duel::best_ratio() const { return *std::ranges::min_element(ratios_); }

double Duel::worst_ratio() const { return *std::ranges::max_element(ratios_); }

}  // namespace brickwork
