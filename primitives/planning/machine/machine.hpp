// The machine as hwloc sees it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace brickwork {

struct Machine {
  std::string cpu;                                         // its name, which in a virtual machine may say little
  std::string cpu_id;                                      // "family 6, model 207, stepping 2"
  int usable_cores = 1;                                    // physical cores this process may run on
  int hardware_threads = 1;                                // that it may run on
  std::int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // of one cache; 0 where there is none
  int l3_caches = 0;                                       // how many there are
  std::int64_t memory_bytes = 0;
  double cpu_quota = std::numeric_limits<double>::infinity();  // limits.hpp

  // As many as compute at full speed: a core each, and no more than the quota keeps busy.
  int default_threads() const { return static_cast<int>(std::max(1.0, std::min<double>(usable_cores, cpu_quota))); }

  // What the caches hold together that so many threads compute in: a thread lies under one of the last levels, so no
  // more of them are in use than there are threads.
  std::int64_t cache_bytes(int threads) const {
    return std::max(l3_bytes * std::min(threads, l3_caches), l2_bytes * threads);
  }
};

const Machine& machine();

// The threads that OpenMP really runs in a parallel region, opened here and now with as many as it is set to.
struct Team {
  int threads = 0;
  int cores = 0;  // that these threads may run on, all together; fewer than threads: some take turns
};

Team openmp_team();

// For `threads` threads of another process: of the hardware threads that such a team of ours runs on so many, one of
// each core before the second of any.
std::vector<int> cpus_of_team(int threads);

}  // namespace brickwork
