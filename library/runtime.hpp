// What all layers of a process share: Kokkos, its threads, and the kernels' tuning.
#pragma once
#include <string>

#include "kernels/cpu/simd/simd_tuning.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork::library {

int threads();

// Throws std::invalid_argument where there is less than one, or Kokkos has already started with others.
void set_threads(int threads);

// Starts Kokkos if nobody has. It is never ended: a process may start it once, and layers may live to its end.
void start_kokkos();

SimdTuning tuning();
void tune(const std::string& text);  // as find_tuning() takes it; throws std::invalid_argument

MachineModel machine_model();

}  // namespace brickwork::library
