// How candidates for a tuning are judged, whatever it is that they are tried on.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "kernels/cpu/simd/simd_tuning.hpp"

namespace brickwork {

// Seconds that each tuning takes for the work, comparable among them, in so many rounds.
template <class Work>
using Measure = std::function<std::vector<double>(const std::vector<SimdTuning>&, const Work&, int rounds)>;

// A candidate must be better than the default by this much, where nothing else is said.
constexpr double kCalibrationMargin = 0.03;

constexpr int kRoundsOfALook = 5;
constexpr int kRoundsOfARace = 11;  // with 7, two of five calibrations missed 5 % of src=lines on Zen 4

// How much faster than the first candidate each of them is, over all works: the logarithm of the geometric mean.
template <class Work>
std::vector<double> gains(const std::vector<SimdTuning>& candidates, const std::vector<Work>& works,
                          const Measure<Work>& measure, int rounds) {
  std::vector<double> gain(candidates.size(), 0.0);
  for (const Work& work : works) {
    const auto seconds = measure(candidates, work, rounds);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      gain[c] += std::log(seconds[0] / seconds[c]) / static_cast<double>(works.size());
    }
  }
  return gain;
}

// The first candidate is the default. Most words are a tie, which a short look shows; those that win half of what they
// need there race against the default anew, as of several equal ones the luckiest looks better than it is. Of those
// that nothing tells apart the first is taken, so that two calibrations agree.
template <class Work>
SimdTuning best_of(const std::vector<SimdTuning>& candidates, const std::vector<Work>& works,
                   const Measure<Work>& measure, double least_gain = kCalibrationMargin) {
  const double margin = std::log1p(least_gain);
  const auto seen = gains(candidates, works, measure, kRoundsOfALook);
  std::vector<SimdTuning> racing{candidates[0]};
  for (std::size_t c = 1; c < candidates.size(); ++c) {
    if (seen[c] > margin / 2) racing.push_back(candidates[c]);
  }
  if (racing.size() == 1) return racing[0];
  const auto gain = gains(racing, works, measure, kRoundsOfARace);
  const double most = *std::ranges::max_element(gain);
  const auto first = std::ranges::find_if(gain, [&](double g) { return g >= most - margin; });
  return racing[static_cast<std::size_t>(first - gain.begin())];
}

}  // namespace brickwork
