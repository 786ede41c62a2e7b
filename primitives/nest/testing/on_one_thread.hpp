// Runs Kokkos on one thread in a process with several threads.
#pragma once
#include <omp.h>

#include <Kokkos_Core.hpp>
#include <stdexcept>

namespace brickwork {

// Runs work() in a parallel region, in which Kokkos opens none of its own. Throws std::logic_error if Kokkos uses other
// threads.
template <class Work>
void on_one_thread(const Work& work) {
  bool alone = true;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    const int self = omp_get_thread_num();
    Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 64), [&](int) {
      if (omp_get_thread_num() != self || omp_get_level() > 1) alone = false;
    });
    work();
  }
  if (!alone) throw std::logic_error("Kokkos used other threads");
}

}  // namespace brickwork
