// What the terminal shows while a run goes on, and the table at its end.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "clock.hpp"
#include "experiment.hpp"

namespace brickwork {

inline constexpr const char* kFmaPeakName = "fma-peak";
inline constexpr const char* kLoadedRoofName = "loaded-roof";

double median(std::vector<double> values);  // of at least one value

// One contender's outcome on one problem; `seconds` is empty unless it was timed.
struct Outcome {
  std::string contender;
  std::string status;
  std::vector<double> seconds;
  double roof = 0;  // flop/s that was measured beside it, in another process; 0: the problem's
};

class Progress {
 public:
  Progress(std::size_t problems, RunClock);

  void status(const std::string& what);  // replaced by the next output; shown on a terminal only
  void note(const std::string& line);
  // roof: flop/s of the loaded roof measured beside this problem; 0 where nothing was timed here.
  void finished(const ProblemInfo&, const std::vector<Outcome>&, double roof);
  void summary() const;

  bool anything_timed() const { return !totals_.empty(); }

 private:
  double elapsed() const { return clock_() - start_; }

  struct Total {
    double flop = 0, seconds = 0, roof_flop = 0;
    std::size_t problems = 0;
  };

  std::size_t problems_, done_ = 0;
  RunClock clock_;
  double start_;
  bool terminal_;
  std::vector<std::string> order_;       // contenders as they first appeared
  std::map<std::string, Total> totals_;  // weighted by count
};

}  // namespace brickwork
