// Chooses the best of several tunings by their times on given work.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "kernels/cpu/simd/simd_tuning.hpp"

namespace brickwork {

// Measures the seconds that each tuning takes for the work, in `rounds` rounds. Times of one call can be compared.
template <class Work>
using Measure = std::function<std::vector<double>(const std::vector<SimdTuning>&, const Work&, int rounds)>;

// By default, how much faster than the default tuning a candidate must be.
constexpr double kCalibrationMargin = 0.03;

constexpr int kRoundsOfALook = 5;
constexpr int kRoundsOfARace = 11;  // with 7, two of five calibrations missed src=lines, which is 5 % faster (Zen 4)

// How much faster each candidate is than the first one: the logarithm of the geometric mean of its speedups over all
// works.
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

// The best candidate; candidates[0] is the default. A short look finds most candidates to be a tie. Those that gain at
// least half the margin there race against the default again, because the luckiest of several equal ones looks better
// than it is. Among candidates within the margin of the best the first wins, so that two calibrations agree.
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
