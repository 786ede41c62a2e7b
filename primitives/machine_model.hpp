// What a planner may know of the machine.
#pragma once
#include <cstdint>

#include "c_access.hpp"
#include "integers.hpp"

namespace brickwork {

struct MachineModel {
  int threads = 1;
  std::int64_t l1_bytes = 32 << 10;  // of one core, data
  std::int64_t l2_bytes = 1 << 20;   // of one core
  std::int64_t l3_bytes = 16 << 20;  // shared by all threads
  CAccess far = CAccess::prefetch;   // how an output that the caches do not hold is reached where stores are dense

  // The busiest thread's share of equal tasks over the mean, at least 1.
  double imbalance(std::int64_t tasks) const {
    return static_cast<double>(ceil_div(tasks, threads) * threads) / static_cast<double>(tasks);
  }
};

MachineModel this_machine(int threads);  // cache sizes from hwloc, the defaults above where it finds none

}  // namespace brickwork
