// The experiments there are.
#pragma once
#include <span>

#include "registry.hpp"

namespace brickwork {

std::span<const ExperimentEntry> experiment_table();

}  // namespace brickwork
