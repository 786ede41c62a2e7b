#include "primitives/planning/race/race.hpp"

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
  constexpr double kMostCalls = 1e6;  // if a call is too short for the clock
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

std::vector<double> race_medians(const std::vector<Racer>& racers, int rounds, const RaceClock& clock) {
#ifdef __SANITIZE_ADDRESS__
  rounds = 1;
#endif
  std::vector<std::vector<double>> samples(racers.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t r = 0; r < racers.size(); ++r) samples[r].push_back(take_sample(racers[r], clock));
  }
  std::vector<double> medians;
  for (auto& times : samples) medians.push_back(middle(std::move(times)));
  return medians;
}

}  // namespace brickwork
