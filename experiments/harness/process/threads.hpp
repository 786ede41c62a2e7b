// The threads of a run: every contender has exactly those that --threads says, or there is no run.
#pragma once
#include <optional>
#include <string>

#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

// Gives so many threads to OpenMP, which all contenders share. Throws UsageError where the environment keeps some of
// them from running, or tells Kokkos another number. Called before Kokkos is initialised, which reads its variables
// then and aborts where one makes no sense.
void use_threads(int threads);

// A sentence where some of these threads take turns on one core, which makes every time too long.
std::optional<std::string> shared_cores_warning();

// A sentence where so many threads have more to do than the quota of CPU time lets them: the system stops all of them
// for the rest of each period, some 0.1 s, which times may or may not have in them.
std::optional<std::string> quota_warning(int threads, const Machine& = machine());

}  // namespace brickwork
