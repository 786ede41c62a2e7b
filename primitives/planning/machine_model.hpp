// The model of a machine from which planners choose: threads, cache sizes and a calibration's choices.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/brgemm/c_access.hpp"
#include "kernels/cpu/simd/simd_tuning.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/planning/speeds/core_speeds.hpp"

namespace brickwork {

struct MachineModel {
  int threads = 1;
  std::int64_t l1_bytes = 32 << 10;  // L1 data cache of one core
  std::int64_t l2_bytes = 1 << 20;   // L2 of one core
  std::int64_t l3_bytes = 16 << 20;  // L3, shared by all threads
  bool few_registers = false;        // for this and the members below see simd_tuning.hpp
  CAccess far = CAccess::prefetch;
  FarSrc src = FarSrc::runs;
  bool narrow = true;
  Reduction reduction = Reduction::deep;
  PixelsOfCall pixels = PixelsOfCall::few;
  Sweep sweep = Sweep::stream;
  CoreSpeeds speeds;

  // The caches as one thread sees them. Other programs use the same L3: with a busy neighbour, 5.6 MB came from memory
  // in spite of an L3 of 32 MB.
  CacheHierarchy caches() const {
    constexpr std::int64_t kShareOfL3 = 5'000'000;
    return {.bytes = {l1_bytes, l2_bytes, std::min(l3_bytes / threads, kShareOfL3)},
            .latency = speeds.latency,
            .bandwidth = speeds.bandwidth,
            .fmas = speeds.multiply_adds,
            .call = speeds.call};
  }

  // Preferred number of features of a block. With few registers 32 is faster than 64: ResNet-50's layers take 4 % less
  // time forward and 3 % less backward by data, single ones up to 15 % (AVX2 on Zen 2); the weight update of its 1x1
  // layers takes 5 to 12 % less (AVX2 on Zen 3).
  std::int64_t block() const { return few_registers ? 32 : 64; }

  // Size of equal blocks of `features` features, at most block(). All tensors of a network use it, so that every
  // operation finds the blocks that it expects.
  std::int64_t block_of(std::int64_t features) const { return equal_block(features, block()); }

  // Whether this many bytes are still in L3 when they are used again: at most 0.7 of L3, and 10 MB per thread, as other
  // programs may use the same L3. An L3 of 32 MB holds weights of 17 MB, but not of 26 MB (Zen 5).
  bool l3_holds(double bytes) const {
    constexpr double kShare = 0.7, kShareOfACore = 10e6;
    return bytes <= std::min(kShare * static_cast<double>(l3_bytes), kShareOfACore * threads);
  }

  // Bytes of an operand that one thread may keep in L3 between uses. Half of L3 is for the other operands and for other
  // programs.
  std::int64_t l3_of_a_thread() const { return l3_bytes / 2 / threads; }

  // How to go over tensors of `tensor_bytes` together. Stores past the caches make batch normalisations of 22 MB take
  // 0.7 of the time, but those of 17 MB 1.6 times as long (Zen 4, L3 of 32 MB).
  Sweep sweep_of(double tensor_bytes) const { return l3_holds(tensor_bytes) ? Sweep::cached : sweep; }

  // Work of the busiest thread over the mean of all threads, for equal tasks; at least 1.
  double imbalance(std::int64_t tasks) const {
    return static_cast<double>(ceil_div(tasks, threads) * threads) / static_cast<double>(tasks);
  }
  // For tasks of unequal work: each thread takes ceil_div(tasks, threads) consecutive tasks.
  template <class WorkOf>
  double imbalance(std::int64_t tasks, const WorkOf& work_of) const {
    std::int64_t busiest = 0, all = 0;
    for (std::int64_t first = 0; first < tasks; first += ceil_div(tasks, threads)) {
      std::int64_t work = 0;
      for (std::int64_t i = first; i < std::min(first + ceil_div(tasks, threads), tasks); ++i) work += work_of(i);
      busiest = std::max(busiest, work);
      all += work;
    }
    return static_cast<double>(busiest * threads) / static_cast<double>(all);
  }
};

// The model of this machine: cache sizes from hwloc (the defaults above if it finds none), choices from the tuning.
MachineModel this_machine(int threads, const SimdTuning& = {});

}  // namespace brickwork
