// Finds the fastest of several ways by running them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "experiments/harness/process/clock.hpp"

namespace brickwork {

// The index for which run(index) took the least time in a few rounds over all indices.
template <class Run>
std::size_t fastest(std::size_t ways, const Run& run) {
  constexpr int kRounds = 3;
  std::vector<double> least(ways, std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < ways; ++i) {
      const double start = steady_seconds();
      run(i);
      least[i] = std::min(least[i], steady_seconds() - start);
    }
  }
  return static_cast<std::size_t>(std::ranges::min_element(least) - least.begin());
}

}  // namespace brickwork
