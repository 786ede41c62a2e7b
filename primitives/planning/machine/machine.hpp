// The machine as hwloc sees it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace brickwork {

struct Machine {
  std::string cpu;                                         // name; may be vague in a virtual machine
  std::string cpu_id;                                      // "family 6, model 207, stepping 2"
  int usable_cores = 1;                                    // physical cores this process may run on
  int hardware_threads = 1;                                // hardware threads that it may run on
  std::int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // size of one cache; 0 if there is none
  int l3_caches = 0;
  std::int64_t memory_bytes = 0;
  double cpu_quota = std::numeric_limits<double>::infinity();  // limits.hpp

  // The number of threads that run at full speed: one per usable core, at most the CPU quota.
  int default_threads() const { return static_cast<int>(std::max(1.0, std::min<double>(usable_cores, cpu_quota))); }

  // Bytes of the last-level caches that `threads` threads use together. A thread uses one L3, so at most `threads` L3
  // caches are in use.
  std::int64_t cache_bytes(int threads) const {
    return std::max(l3_bytes * std::min(threads, l3_caches), l2_bytes * threads);
  }
};

const Machine& machine();

// The threads that OpenMP really runs in a parallel region.
struct Team {
  int threads = 0;
  int cores = 0;  // cores that these threads may run on together; if there are fewer than threads, some take turns
};

// Opens a parallel region with OpenMP's current number of threads.
Team openmp_team();

// Hardware threads for `threads` threads of another process: at most `threads` of those that our OpenMP team may run
// on. The first ones of all cores come before the second one of any core.
std::vector<int> cpus_of_team(int threads);

}  // namespace brickwork
