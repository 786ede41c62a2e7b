// What a planner may know of the machine.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/brgemm/c_access.hpp"
#include "kernels/cpu/simd/simd_tuning.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {

struct MachineModel {
  int threads = 1;
  std::int64_t l1_bytes = 32 << 10;  // of one core, data
  std::int64_t l2_bytes = 1 << 20;   // of one core
  std::int64_t l3_bytes = 16 << 20;  // shared by all threads
  bool few_registers = false;        // this and those below: simd_tuning.hpp
  CAccess far = CAccess::prefetch;
  FarSrc src = FarSrc::runs;
  bool narrow = true;
  Reduction reduction = Reduction::deep;
  PixelsOfCall pixels = PixelsOfCall::few;
  Sweep sweep = Sweep::stream;

  // Features of a block where any number divides. 32 instead of 64 where registers are few: 4 % of ResNet-50's layers
  // forward and 3 % backward by data, and up to 15 % (AVX2 on Zen 2); 5 to 12 % of its 1x1 layers' weight update (AVX2
  // on Zen 3).
  std::int64_t block() const { return few_registers ? 32 : 64; }

  // Of so many features, equal blocks no larger than the machine likes. All tensors of a network have them alike, so
  // that whatever reads one finds the blocks that it wants.
  std::int64_t block_of(std::int64_t features) const { return equal_block(features, block()); }

  // Whether so many bytes are still in L3 when they are used again. One that many cores share is also other
  // programs'. Of an L3 of 32 MB weights of 17 MB are, and of 26 MB not (Zen 5).
  bool l3_holds(double bytes) const {
    constexpr double kShare = 0.7, kShareOfACore = 10e6;
    return bytes <= std::min(kShare * static_cast<double>(l3_bytes), kShareOfACore * threads);
  }

  // What a thread's own share of an operand may fill to be in L3 each time that it passes by: the other half is for
  // what passes beside it, and for other programs.
  std::int64_t l3_of_a_thread() const { return l3_bytes / 2 / threads; }

  // Of tensors of so many bytes together. Batch normalisations of 22 MB take 0.7 of the time past the caches, of 17 MB
  // 1.6 times as long (Zen 4, an L3 of 32 MB).
  Sweep sweep_of(double tensor_bytes) const { return l3_holds(tensor_bytes) ? Sweep::cached : sweep; }

  // The busiest thread's share of equal tasks over the mean, at least 1.
  double imbalance(std::int64_t tasks) const {
    return static_cast<double>(ceil_div(tasks, threads) * threads) / static_cast<double>(tasks);
  }
  // The same of tasks that are not equal; each thread takes as many as the others, one after the other.
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

// Cache sizes from hwloc, the defaults above where it finds none; what a calibration found from the tuning.
MachineModel this_machine(int threads, const SimdTuning& = {});

}  // namespace brickwork
