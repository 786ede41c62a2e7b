// Fair timing of alternatives: their samples are taken in turn, so that a disturbance affects all of them.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace brickwork {

using RaceClock = std::function<double()>;  // seconds since some moment; tests have a clock of their own
double steady_race_clock();

struct Racer {
  std::function<void()> work;
  std::int64_t calls = 1;  // calls per sample
  bool warms_up = true;    // whether an untimed call comes before each sample, as the caches hold another racer's data
};

// A racer whose samples last about `seconds`; one timed call decides how many calls that takes. If a call lasts 3 times
// `seconds` or longer, there is no warm-up: the state of the caches matters little then.
Racer racer_of(std::function<void()> work, double seconds, const RaceClock&);

// Takes one sample: mean seconds per call.
double take_sample(const Racer&, const RaceClock&);

double middle(std::vector<double> values);  // the median; the upper one of an even number; needs at least one value

// For each racer the median of `rounds` samples; the racers take turns. Under the address sanitizer, where times do not
// matter, one sample.
std::vector<double> race_medians(const std::vector<Racer>&, int rounds, const RaceClock& = steady_race_clock);

}  // namespace brickwork
