#include "primitives/planning/machine/machine.hpp"

#include <hwloc.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "primitives/planning/machine/limits.hpp"

namespace brickwork {
namespace {

struct BitmapFree {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapFree>;

// Loaded once and never freed.
hwloc_topology_t topology() {
  static const hwloc_topology_t loaded = [] {
    hwloc_topology_t fresh = nullptr;
    if (hwloc_topology_init(&fresh) != 0 || hwloc_topology_load(fresh) != 0) {
      throw std::runtime_error("hwloc cannot read the machine's topology");
    }
    return fresh;
  }();
  return loaded;
}

Machine discover() {
  const auto cache_bytes = [](hwloc_obj_type_t type) -> std::int64_t {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology(), type, 0);
    return cache == nullptr ? 0 : static_cast<std::int64_t>(cache->attr->cache.size);
  };
  // A container or taskset may leave this process fewer threads than hwloc finds.
  const auto usable = [](hwloc_obj_type_t type) {
    return std::clamp(hwloc_get_nbobjs_by_type(topology(), type), 1, omp_get_num_procs());
  };
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology(), HWLOC_OBJ_PACKAGE, 0);
  const auto info = [&](const char* name) -> std::string {
    const char* text = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, name);
    return text == nullptr ? "unknown" : text;
  };
  return {.cpu = info("CPUModel"),
          .cpu_id = "family " + info("CPUFamilyNumber") + ", model " + info("CPUModelNumber") + ", stepping " +
                    info("CPUStepping"),
          .usable_cores = usable(HWLOC_OBJ_CORE),
          .hardware_threads = usable(HWLOC_OBJ_PU),
          .l1d_bytes = cache_bytes(HWLOC_OBJ_L1CACHE),
          .l2_bytes = cache_bytes(HWLOC_OBJ_L2CACHE),
          .l3_bytes = cache_bytes(HWLOC_OBJ_L3CACHE),
          .l3_caches = std::max(0, hwloc_get_nbobjs_by_type(topology(), HWLOC_OBJ_L3CACHE)),
          .memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE),
          .cpu_quota = cpu_quota()};
}

// The number of cores with at least one hardware thread in the set.
int cores_touched(hwloc_const_bitmap_t hardware_threads) {
  const int depth = hwloc_get_type_or_below_depth(topology(), HWLOC_OBJ_CORE);
  int touched = 0;
  for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_depth(topology(), depth, core)) != nullptr;) {
    touched += hwloc_bitmap_intersects(core->cpuset, hardware_threads);
  }
  return touched;
}

struct Reach {
  int threads = 0;
  Bitmap hardware_threads{hwloc_bitmap_alloc()};  // all that any of the threads may run on
};

// Opens a parallel region and collects its threads.
Reach reach_of_team() {
  Reach team;
  const Bitmap of_one(hwloc_bitmap_alloc());
#pragma omp parallel
#pragma omp critical
  {
    ++team.threads;
    hwloc_get_cpubind(topology(), of_one.get(), HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_or(team.hardware_threads.get(), team.hardware_threads.get(), of_one.get());
  }
  return team;
}

}  // namespace

const Machine& machine() {
  static const Machine found = discover();
  return found;
}

Team openmp_team() {
  const Reach team = reach_of_team();
  return {.threads = team.threads, .cores = cores_touched(team.hardware_threads.get())};
}

std::vector<int> cpus_of_team(int threads) {
  const Reach team = reach_of_team();
  const int depth = hwloc_get_type_or_below_depth(topology(), HWLOC_OBJ_CORE);
  std::vector<std::pair<int, int>> found;  // place in its core, hardware thread
  for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_depth(topology(), depth, core)) != nullptr;) {
    int place = 0, cpu = -1;
    while ((cpu = hwloc_bitmap_next(core->cpuset, cpu)) != -1) {
      if (hwloc_bitmap_isset(team.hardware_threads.get(), static_cast<unsigned>(cpu))) found.emplace_back(place++, cpu);
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, int>::first);
  found.resize(std::min(found.size(), static_cast<std::size_t>(threads)));
  std::vector<int> cpus;
  for (const auto& [place, cpu] : found) cpus.push_back(cpu);
  return cpus;
}

}  // namespace brickwork
