// How many samples a problem gets, so that the whole run ends in time.
#pragma once
#include <cstddef>
#include <vector>

#include "experiments/harness/process/clock.hpp"
#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

inline constexpr int kLeastSamples = 3;  // with fewer there is no median to speak of
inline constexpr int kPackSamples = 3;   // of every contender on every problem

// Of one contender, as its check found it: seconds of single calls.
struct CallCost {
  double run_seconds = 0, pack_seconds = 0;
};

class TimeBudget {
 public:
  TimeBudget(const Options&, std::size_t problems, RunClock);  // its time starts now

  void start_problem();  // gives the next problem an equal share of what is left
  // As many as asked for, or as the rest of the problem's share allows, but at least kLeastSamples.
  int samples(const std::vector<CallCost>& contenders) const;

 private:
  const Options& options_;
  std::size_t problems_left_;
  RunClock clock_;
  double start_;
  double share_end_ = 0;
};

}  // namespace brickwork
