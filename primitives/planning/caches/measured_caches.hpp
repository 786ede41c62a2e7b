// The caches, the memory and the brick of this machine as measured: latencies and bandwidths of one thread.
#pragma once
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/analysis/cache_hierarchy.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

// Sizes of the model; L3 is shared by its threads. Latencies and bandwidths of nanoseconds, each the best of some
// repetitions: data in half of a cache, and in four times L3 (at most 256 MiB) for the memory. Takes some tenths of a
// second.
CacheHierarchy measure_caches(const MachineModel&, Isa = Isa::best, const SimdTuning& = {});

// The same, measured once for each number of threads.
const CacheHierarchy& measured_caches(int threads, Isa = Isa::best, const SimdTuning& = {});

}  // namespace brickwork
