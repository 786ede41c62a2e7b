// What main() of each of our programs does around its work: what goes wrong is one sentence and an exit code.
#pragma once
#include <functional>

#include "experiments/harness/run/runner.hpp"

namespace brickwork {

// Whatever the work prints: where standard output cannot be written, success is none.
ExitCode run_program(const std::function<ExitCode()>& work);

}  // namespace brickwork
