#include "experiments/harness/terminal/median.hpp"

#include <algorithm>
#include <cmath>

namespace brickwork {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<std::pair<double, double>> median_interval(std::vector<double> values) {
  constexpr double kOutside = 0.05;
  const auto n = static_cast<double>(values.size());
  // P(at most `rank` of n samples lie below the median), binomial with p = 1/2; the logarithm does not underflow.
  double below = 0;
  std::size_t rank = 0;  // samples left out at each end
  for (;; ++rank) {
    const auto k = static_cast<double>(rank);
    below += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0));
    if (2 * below > kOutside) break;
  }
  if (rank == 0) return std::nullopt;
  std::ranges::sort(values);
  return std::pair(values[rank - 1], values[values.size() - rank]);
}

}  // namespace brickwork
