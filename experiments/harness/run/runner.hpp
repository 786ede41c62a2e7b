// One run: checks the contenders on each problem, times those that are right, interleaved, and writes result rows.
#pragma once
#include <string_view>

#include "experiments/harness/process/clock.hpp"
#include "experiments/harness/rows/printed_rows.hpp"
#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

enum ExitCode {
  exit_ok = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_interrupted = 130,  // as a shell reports SIGINT
  exit_broken_pipe = 141,  // as a shell reports SIGPIPE: the reader of standard output has left
};

// `figure` names the kind of figure that the plots draw; every row contains it. `printed` receives every row; it may be
// null. Throws std::runtime_error with one sentence if the folder holds another run's results, if results cannot be
// written, or if nothing was timed. Rows that are written already stay.
ExitCode run_experiment(const Experiment&, std::string_view figure, const Options&,
                        const RunClock& clock = steady_seconds, const Machine& = machine(),
                        PrintedRows* printed = nullptr);

}  // namespace brickwork
