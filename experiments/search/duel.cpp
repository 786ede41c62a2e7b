#include "experiments/search/duel.hpp"

#include <algorithm>

namespace brickwork {

void Duel::add_pair() {
  const bool champion_first = ratios_.size() % 2 == 0;
  const double first = take_sample(champion_first ? champion_ : challenger_, clock_);
  const double second = take_sample(champion_first ? challenger_ : champion_, clock_);
  ratios_.push_back(champion_first ? second / first : first / second);
}

double Duel::best_ratio() const { return *std::ranges::min_element(ratios_); }

double Duel::worst_ratio() const { return *std::ranges::max_element(ratios_); }

}  // namespace brickwork
