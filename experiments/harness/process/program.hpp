// Runs the work of main() of our programs. An exception becomes one sentence on the screen and an exit code.
#pragma once
#include <functional>

#include "experiments/harness/run/runner.hpp"

namespace brickwork {

// Returns the exit code of `work`, or exit_failed if it succeeded but standard output could not be written.
ExitCode run_program(const std::function<ExitCode()>& work);

}  // namespace brickwork
