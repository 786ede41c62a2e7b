// Several experiments in one call, one after the other.
#pragma once
#include "experiments/harness/run/runner.hpp"

namespace brickwork {

// Runs this program once for each experiment, because their threads differ and each has its own peak memory. The
// results of an experiment go to a folder of its name in the one that --out names; the screen has one line for each.
// Ends at an interrupt or a broken pipe. The exit code is that of the first failure, or exit_ok.
ExitCode run_each_experiment(const Options&, int argc, char** argv);

// The command line without an option that has a value: "--out x" and "--out=x" go.
std::vector<std::string> without_option(const std::vector<std::string>& arguments, const std::string& option);

}  // namespace brickwork
