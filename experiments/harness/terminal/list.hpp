// The output of --list.
#pragma once
#include <span>

#include "experiments/harness/run/registry.hpp"

namespace brickwork {

// Experiments by primitive, each with a problem to try if any contender can run it here, and the shape sets. For
// experiments that the options name: their contenders instead, each with the reason why it cannot run.
void print_list(std::span<const ExperimentEntry> table, const Options&);

}  // namespace brickwork
