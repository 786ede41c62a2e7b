// The machine as hwloc sees it.
#pragma once
#include <cstdint>
#include <string>

namespace brickwork {

struct Machine {
  std::string cpu;                                         // its name, which in a virtual machine may say little
  std::string cpu_id;                                      // "family 6, model 207, stepping 2"
  int usable_cores = 1;                                    // physical cores this process may run on
  int hardware_threads = 1;                                // that it may run on
  std::int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // of one cache; 0 where there is none
  int l3_caches = 0;                                       // how many there are
  std::int64_t memory_bytes = 0;
};

const Machine& machine();

}  // namespace brickwork
