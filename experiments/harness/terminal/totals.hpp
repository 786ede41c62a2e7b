// The times of all problems of a run together, for the end of the screen.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/harness/run/experiment.hpp"

namespace brickwork {

inline constexpr const char* kFmaPeakName = "fma-peak";
inline constexpr const char* kLoadedRoofName = "loaded-roof";
inline constexpr const char* kStreamName = "stream";
inline constexpr const char* kReadName = "read";
inline constexpr const char* kTrafficName = "traffic";

// The row of the limit whose shares the screen shows.
constexpr const char* limit_name(Bound bound) { return bound == Bound::flops ? kLoadedRoofName : kStreamName; }
constexpr const char* limit_words(Bound bound) { return bound == Bound::flops ? "the loaded roof" : "the stream"; }
constexpr const char* rate_unit(Bound bound) { return bound == Bound::flops ? "GFLOP/s" : "GB/s"; }

class Totals {
 public:
  // The median seconds of a contender on a problem, and the limit beside it in flop/s or bytes/s; 0: no limit.
  void add(const ProblemInfo&, const std::string& contender, bool ours, double seconds, double limit);
  void end_problem() { ++problems_; }  // also where nothing was timed

  bool empty() const { return of_.empty(); }
  // A line for each contender, under a header: work over time, each weighted by the problem's count.
  std::string table() const;
  // "brickwork-simd 103.1 GFLOP/s (95 % of the loaded roof), 1.04 times as fast as onednn": the faster one of ours
  // beside the fastest other contender, each of those with times on the most problems. The ratio is of the problems
  // that both have, weighted by count.
  std::string headline() const;

 private:
  struct Total {
    bool ours = false;
    double work = 0, seconds = 0, limit_work = 0;
    std::map<std::string, double> weighted;  // problem -> count * seconds
  };

  const std::string* fastest(bool ours) const;  // null if there is none
  std::string rate(const Total&) const;

  Bound bound_ = Bound::flops;
  std::size_t problems_ = 0;
  std::vector<std::string> order_;  // contenders as they first appeared
  std::map<std::string, Total> of_;
};

}  // namespace brickwork
