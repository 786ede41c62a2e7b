// The machine's limits, measured beside the contenders of each problem: the FMA peak and the loaded roof, or the
// bandwidth of STREAM's triad and of the problem's own traffic.
#pragma once
#include <memory>
#include <vector>

#include "experiments/harness/peaks/loaded_roof.hpp"
#include "experiments/harness/peaks/machine_peak.hpp"
#include "experiments/harness/peaks/memory_traffic.hpp"
#include "experiments/harness/peaks/stream_triad.hpp"
#include "experiments/harness/rows/samples_csv.hpp"
#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/run/timing.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

class Limits {
 public:
  // The options and the machine outlive it. Without a contender on the host there is nothing to measure.
  Limits(const Experiment&, const Options&, const Machine&);

  struct Task {
    TimedTask task;
    Row row;                     // of its samples
    bool shares_are_of = false;  // the limit whose shares the screen shows
  };
  // The tasks beside one problem, whose cells are `problem_row`; they use this object until end_problem(), which gives
  // the problem's memory back.
  std::vector<Task> beside(const ProblemInfo&, const Row& problem_row, int samples);
  void end_problem() { moved_.reset(); }
  double work_of_limit(Bound);  // flop or bytes of one call of that limit

  bool on_host() const { return on_host_; }
  // Its arrays are kept only while every problem uses them.
  StreamTriad& stream();
  void drop_stream() { stream_.reset(); }

 private:
  const Options& options_;
  const Machine& machine_;
  bool on_host_;
  FmaPeak fma_;
  LoadedRoof roof_;
  std::unique_ptr<StreamTriad> stream_;
  std::unique_ptr<MemoryTraffic> moved_;
};

}  // namespace brickwork
