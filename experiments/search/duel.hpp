// A plan against a plan, fairly: whatever disturbs the machine meets both.
#pragma once
#include <vector>

#include "primitives/planning/race/race.hpp"

namespace brickwork {

// Two that are compared in pairs of samples. They take turns in going first.
class Duel {
 public:
  // All three outlive it.
  Duel(const Racer& champion, const Racer& challenger, const RaceClock& clock)
      : champion_(champion), challenger_(challenger), clock_(clock) {}

  void add_pair();
  std::size_t pairs() const { return ratios_.size(); }

  // The challenger's time over the champion's: below 1 it is the faster one. Of at least one pair.
  double ratio() const { return middle(ratios_); }
  double best_ratio() const;   // of the pair that was the best for the challenger
  double worst_ratio() const;  // and of the worst

 private:
  const Racer &champion_, &challenger_;
  const RaceClock& clock_;
  std::vector<double> ratios_;
};

}  // namespace brickwork
