// The screen while a run goes on, and the table at its end.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/harness/process/clock.hpp"
#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/terminal/median.hpp"
#include "experiments/harness/terminal/totals.hpp"

namespace brickwork {

std::string clock_text(double seconds);  // "1:05", "1:00:05"

// One contender's outcome on one problem; `seconds` is empty unless it was timed.
struct Outcome {
  std::string contender;
  std::string status;
  std::vector<double> seconds;
  double limit = 0;       // measured beside it in another process; 0: use the problem's
  double least_flop = 0;  // the row's
  bool ours = false;
};

class Progress {
 public:
  // brief: no line for each problem and result. cache_bytes: a problem that fits is not limited by the memory.
  Progress(std::size_t problems, bool brief, RunClock, std::int64_t cache_bytes = 0);

  void status(const std::string& what);  // replaced by the next output; shown on a terminal only
  void note(const std::string& line);
  void detail(const std::string& line);  // a note that a brief screen leaves out
  // limit: flop/s of the loaded roof or bytes/s of the stream, measured beside this problem; 0 if nothing was timed
  // here, or on a device.
  void finished(const ProblemInfo&, const std::vector<Outcome>&, double limit);
  void summary();  // the table, if there are several problems, and a warning of results above the roof

  const Totals& totals() const { return totals_; }
  double elapsed() const { return clock_() - start_; }

 private:
  std::size_t problems_, done_ = 0;
  bool brief_;
  RunClock clock_;
  double start_;
  bool terminal_;
  double cache_bytes_;
  Totals totals_;
  std::vector<std::string> above_roof_;  // "onednn on layer01"
};

}  // namespace brickwork
