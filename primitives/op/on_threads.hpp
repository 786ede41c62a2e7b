// Runs the definitions (the slow references) on the host's threads.
#pragma once
#include <Kokkos_Core.hpp>
#include <cstdint>

namespace brickwork {

// task(i) for i from 0 to tasks - 1, spread over the host's threads.
template <class Task>
void on_threads(std::int64_t tasks, const Task& task) {
  Kokkos::parallel_for("definition", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, tasks), task);
  Kokkos::fence();
}

}  // namespace brickwork
