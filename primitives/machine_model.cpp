#include "machine_model.hpp"

#include <unistd.h>

namespace brickwork {

MachineModel this_machine(int threads) {
  MachineModel model{.threads = threads};
  const auto ask = [](int name, std::int64_t& bytes) {
    if (const long answer = sysconf(name); answer > 0) bytes = answer;
  };
  ask(_SC_LEVEL1_DCACHE_SIZE, model.l1_bytes);
  ask(_SC_LEVEL2_CACHE_SIZE, model.l2_bytes);
  ask(_SC_LEVEL3_CACHE_SIZE, model.l3_bytes);
  return model;
}

}  // namespace brickwork
