#include "machine.hpp"

#include <hwloc.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace brickwork {
namespace {

Machine discover() {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
    throw std::runtime_error("hwloc cannot read the machine's topology");
  }
  const auto cache_bytes = [&](hwloc_obj_type_t type) -> std::int64_t {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    return cache == nullptr ? 0 : static_cast<std::int64_t>(cache->attr->cache.size);
  };
  // A container or taskset may leave this process fewer threads than hwloc finds.
  const auto usable = [&](hwloc_obj_type_t type) {
    return std::clamp(hwloc_get_nbobjs_by_type(topology, type), 1, omp_get_num_procs());
  };
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  const auto info = [&](const char* name) -> std::string {
    const char* text = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, name);
    return text == nullptr ? "unknown" : text;
  };
  const Machine found{.cpu = info("CPUModel"),
                      .cpu_id = "family " + info("CPUFamilyNumber") + ", model " + info("CPUModelNumber") +
                                ", stepping " + info("CPUStepping"),
                      .usable_cores = usable(HWLOC_OBJ_CORE),
                      .hardware_threads = usable(HWLOC_OBJ_PU),
                      .l1d_bytes = cache_bytes(HWLOC_OBJ_L1CACHE),
                      .l2_bytes = cache_bytes(HWLOC_OBJ_L2CACHE),
                      .l3_bytes = cache_bytes(HWLOC_OBJ_L3CACHE),
                      .l3_caches = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE)),
                      .memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE)};
  hwloc_topology_destroy(topology);
  return found;
}

}  // namespace

const Machine& machine() {
  static const Machine found = discover();
  return found;
}

}  // namespace brickwork
