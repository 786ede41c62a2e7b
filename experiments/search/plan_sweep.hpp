// Measures many plans of one problem: the truth with which rankings are compared, and the data from which one learns.
#pragma once
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "primitives/planning/race/race.hpp"

namespace brickwork {

// Seconds of each plan: the median of some samples, which the plans take in turn, so that a disturbance affects all.
// Nothing for a plan that make() refuses or that throws, and for all plans if `stop` says so before the end.
template <class Plan>
std::vector<std::optional<double>> sweep_plans(const std::vector<Plan>& plans,
                                               const std::function<std::function<void()>(const Plan&)>& make,
                                               const RaceClock& clock, const std::function<bool()>& stop) {
  constexpr int kRounds = 5;
  constexpr double kSampleSeconds = 2e-3;  // much more than the clock's resolution, less than a time slice
  std::vector<std::optional<Racer>> racers(plans.size());
  std::vector<std::vector<double>> samples(plans.size());
  for (std::size_t i = 0; i < plans.size() && !stop(); ++i) {
    try {
      if (auto work = make(plans[i])) racers[i] = racer_of(std::move(work), kSampleSeconds, clock);
    } catch (const std::exception&) {
      continue;
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (stop()) return std::vector<std::optional<double>>(plans.size());
      if (racers[i]) samples[i].push_back(take_sample(*racers[i], clock));
    }
  }
  std::vector<std::optional<double>> seconds(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!samples[i].empty()) seconds[i] = middle(samples[i]);
  }
  return seconds;
}

}  // namespace brickwork
