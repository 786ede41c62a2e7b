// The threads of a run: every contender has exactly those that --threads says, or there is no run.
#pragma once
#include <optional>
#include <string>

namespace brickwork {

// Gives so many threads to OpenMP, which all contenders share. Throws UsageError where the environment keeps some of
// them from running, or tells Kokkos another number. Called before Kokkos is initialised, which reads its variables
// then and aborts where one makes no sense.
void use_threads(int threads);

// A sentence where some of these threads take turns on one core, which makes every time too long.
std::optional<std::string> shared_cores_warning();

}  // namespace brickwork
