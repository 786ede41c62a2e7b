// Fair times of what does the same: samples taken in turn, so that a disturbance meets all of them.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace brickwork {

using RaceClock = std::function<double()>;  // seconds since some moment; a test drives its own
double steady_race_clock();

struct Racer {
  std::function<void()> work;
  std::int64_t calls = 1;  // that a sample consists of
  bool warms_up = true;    // by a call before each sample, as the caches hold another's data
};

// A racer whose samples last about `seconds`, found out by one call. One whose calls are much longer than that does
// without a warm-up: what the caches held before is a small part of it.
Racer racer_of(std::function<void()> work, double seconds, const RaceClock&);

// Seconds of one call.
double take_sample(const Racer&, const RaceClock&);

double middle(std::vector<double> values);  // their median, of an even number the upper one; at least one value

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
