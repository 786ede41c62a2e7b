// The reads and writes that a problem's time is compared with: as many bytes as the problem moves.
#pragma once
#include "experiments/harness/peaks/memory_traffic.hpp"
#include "experiments/harness/run/experiment.hpp"

namespace brickwork {

// Whether reading the problem's tensors may take longer than its flops: they are larger than L2, and each value is used
// only a few times. l2_bytes is the L2 of all threads together; 0 means unknown, and then all tensors count as fitting.
bool may_wait_for_memory(const ProblemInfo&, std::int64_t l2_bytes);

MemoryTraffic reading_of(const ProblemInfo&, int threads);  // reads all bytes of the problem, and rereads some
MemoryTraffic moving_of(const ProblemInfo&, int threads);   // reads and writes as many bytes as the problem

}  // namespace brickwork
