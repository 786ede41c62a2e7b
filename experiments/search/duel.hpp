// Compares two plans fairly: a disturbance of the machine affects both.
#pragma once
#include <vector>

#include "primitives/planning/race/race.hpp"

namespace brickwork {

// Compares a challenger with a champion in pairs of samples. They take turns in going first.
class Duel {
 public:
  // All three arguments must outlive the duel.
  Duel(const Racer& champion, const Racer& challenger, const RaceClock& clock)
      : champion_(champion), challenger_(challenger), clock_(clock) {}

  void add_pair();
  std::size_t pairs() const { return ratios_.size(); }

  // The challenger's time divided by the champion's; below 1 the challenger is faster. Needs at least one pair.
  double ratio() const { return middle(ratios_); }  // median over the pairs
  double best_ratio() const;                        // in the challenger's best pair
  double worst_ratio() const;                       // in the challenger's worst pair

 private:
  const Racer &champion_, &challenger_;
  const RaceClock& clock_;
  std::vector<double> ratios_;
};

}  // namespace brickwork
