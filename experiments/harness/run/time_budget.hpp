// The number of samples of each problem, chosen so that the whole run ends in time.
#pragma once
#include <cstddef>
#include <vector>

#include "experiments/harness/process/clock.hpp"
#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

inline constexpr int kLeastSamples = 3;  // fewer have no useful median
inline constexpr int kPackSamples = 3;   // of every contender on every problem

// Seconds of single calls of one contender, as its check measured them.
struct CallCost {
  double run_seconds = 0, pack_seconds = 0;
};

class TimeBudget {
 public:
  TimeBudget(const Options&, std::size_t problems, RunClock);  // its time starts now

  void start_problem();  // gives the next problem an equal share of what is left
  // The number asked for, or fewer if the rest of the problem's share allows fewer, but at least kLeastSamples.
  int samples(const std::vector<CallCost>& contenders) const;
  // Seconds of the fewest samples, of contenders whose calls take no time. The real time is longer: checks, and calls
  // that last longer than a sample should.
  static double least(const Options&, std::size_t problems, std::size_t contenders);

 private:
  const Options& options_;
  std::size_t problems_left_;
  RunClock clock_;
  double start_;
  double share_end_ = 0;
};

}  // namespace brickwork
