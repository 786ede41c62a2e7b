// The threads of a run: every contender has exactly as many as --threads says, or the run is refused.
#pragma once
#include <optional>
#include <string>

#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

// Sets the number of OpenMP threads, which all contenders share. Throws UsageError if the environment allows fewer or
// gives Kokkos another number. Call this before Kokkos is initialised: Kokkos aborts if one of its variables makes no
// sense.
void use_threads(int threads);

// Returns a sentence if some of the threads share a core, which makes every time too long.
std::optional<std::string> shared_cores_warning();

// Returns a sentence if the threads can use more CPU time than their quota: the system then stops all of them for the
// rest of each period of about 0.1 s. A measured time may or may not contain such a stop.
std::optional<std::string> quota_warning(int threads, const Machine& = machine());

}  // namespace brickwork
