// One run: every problem's contenders are checked, then timed side by side, and written.
#pragma once
#include <string_view>

#include "experiments/harness/process/clock.hpp"
#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

enum ExitCode { exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_interrupted = 130 };

// figure: how the experiment is drawn, for the rows. Throws std::runtime_error with one sentence where the folder holds
// another run's results, where results cannot be written, and where there are none; what was measured stays written.
ExitCode run_experiment(const Experiment&, std::string_view figure, const Options&,
                        const RunClock& clock = steady_seconds, const Machine& = machine());

}  // namespace brickwork
