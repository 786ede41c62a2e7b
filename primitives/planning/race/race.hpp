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

// The median of so many samples of each racer, which take turns. Under the sanitizers, where nobody reads times, of
// one.
std::vector<double> race_medians(const std::vector<Racer>&, int rounds, const RaceClock& = steady_race_clock);

}  // namespace brickwork
