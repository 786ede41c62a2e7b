// How candidates for a tuning are judged, whatever it is that they are tried on.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

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

}  // namespace brickwork
