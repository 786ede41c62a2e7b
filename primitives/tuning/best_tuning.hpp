// How candidates for a tuning are judged, whatever it is that they are tried on.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "race.hpp"
#include "simd_tuning.hpp"

namespace brickwork {

// Seconds that each tuning takes for the work, comparable among them.
template <class Work>
using Measure = std::function<std::vector<double>(const std::vector<SimdTuning>&, const Work&)>;

// A candidate must be better than the default by this much, where nothing else is said.
constexpr double kCalibrationMargin = 0.03;

// How much faster than the first candidate each of them is, over all works: the logarithm of the geometric mean.
template <class Work>
std::vector<double> gains(const std::vector<SimdTuning>& candidates, const std::vector<Work>& works,
                          const Measure<Work>& measure) {
  std::vector<double> gain(candidates.size(), 0.0);
  for (const Work& work : works) {
    const auto seconds = measure(candidates, work);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      gain[c] += std::log(seconds[0] / seconds[c]) / static_cast<double>(works.size());
    }
  }
  return gain;
}

// The first candidate is the default, and of those that nothing tells apart the first is taken, so that two
// calibrations agree. Of thirty equal ones the luckiest looks better than it is, so one that is not the default has to
// win a second time, against the default alone.
template <class Work>
SimdTuning best_of(const std::vector<SimdTuning>& candidates, const std::vector<Work>& works,
                   const Measure<Work>& measure, double least_gain = kCalibrationMargin) {
  const double margin = std::log1p(least_gain);
  const auto gain = gains(candidates, works, measure);
  const double most = *std::ranges::max_element(gain);
  const auto first = std::ranges::find_if(gain, [&](double g) { return g >= most - margin; });
  const SimdTuning& winner = candidates[static_cast<std::size_t>(first - gain.begin())];
  if (winner == candidates[0]) return winner;
  return gains({candidates[0], winner}, works, measure)[1] > margin ? winner : candidates[0];
}

// Of each racer, in so many rounds in which they take turns.
inline std::vector<double> race_medians(const std::vector<Racer>& racers, int rounds) {
#ifdef __SANITIZE_ADDRESS__
  rounds = 1;  // nobody reads these times
#endif
  std::vector<std::vector<double>> samples(racers.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t r = 0; r < racers.size(); ++r) samples[r].push_back(take_sample(racers[r], steady_race_clock));
  }
  std::vector<double> medians;
  for (auto& times : samples) medians.push_back(middle(std::move(times)));
  return medians;
}

}  // namespace brickwork
