// What --list prints.
#pragma once
#include <span>

#include "experiments/harness/run/registry.hpp"

namespace brickwork {

// Experiments, contenders with what keeps them from running, shape sets and their layers.
void print_list(std::span<const ExperimentEntry> table, const Options&);

}  // namespace brickwork
