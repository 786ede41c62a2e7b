// How many sequences a block of a GPU's threads has at a step.
#pragma once
#include <cstdint>

#include "integers.hpp"

namespace brickwork {

constexpr std::int64_t kManySequencesOnGpu = 96, kFewSequencesOnGpu = 32;

// Many where that leaves hardly a multiprocessor without one of so many tasks for each block of sequences.
inline std::int64_t sequences_of_gpu_task(std::int64_t N, std::int64_t tasks, std::int64_t multiprocessors) {
  const bool many = 8 * tasks * ceil_div(N, kManySequencesOnGpu) >= 7 * multiprocessors;
  return equal_block(N, many ? kManySequencesOnGpu : kFewSequencesOnGpu);
}

}  // namespace brickwork
