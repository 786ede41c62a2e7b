// What the terminal shows while a run goes on, and the table at its end.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/harness/process/clock.hpp"
#include "experiments/harness/run/experiment.hpp"

namespace brickwork {

inline constexpr const char* kFmaPeakName = "fma-peak";
inline constexpr const char* kLoadedRoofName = "loaded-roof";
inline constexpr const char* kStreamName = "stream";
inline constexpr const char* kReadName = "read";
inline constexpr const char* kTrafficName = "traffic";

// The limit that the screen shows shares of.
constexpr const char* limit_name(Bound bound) { return bound == Bound::flops ? kLoadedRoofName : kStreamName; }

double median(std::vector<double> values);  // of at least one value

// One contender's outcome on one problem; `seconds` is empty unless it was timed.
struct Outcome {
  std::string contender;
  std::string status;
  std::vector<double> seconds;
  double limit = 0;       // that was measured beside it, in another process; 0: the problem's
  double least_flop = 0;  // the row's
};

class Progress {
 public:
  // cache_bytes: of what fits in there the memory is no limit.
  Progress(std::size_t problems, RunClock, std::int64_t cache_bytes = 0);

  void status(const std::string& what);  // replaced by the next output; shown on a terminal only
  void note(const std::string& line);
  // limit: flop/s of the loaded roof, or bytes/s of the stream, measured beside this problem; 0 where nothing was timed
  // here, or on a device.
  void finished(const ProblemInfo&, const std::vector<Outcome>&, double limit);
  void summary() const;

  bool anything_timed() const { return !totals_.empty(); }

 private:
  double elapsed() const { return clock_() - start_; }

  struct Total {
    double work = 0, seconds = 0, limit_work = 0;
    std::size_t problems = 0;
  };

  std::size_t problems_, done_ = 0;
  RunClock clock_;
  double start_;
  bool terminal_;
  double cache_bytes_;
  Bound bound_ = Bound::flops;
  std::vector<std::string> order_;       // contenders as they first appeared
  std::map<std::string, Total> totals_;  // weighted by count
};

}  // namespace brickwork
