// The reading and writing that a problem's time is compared with: as many bytes as it moves.
#pragma once
#include "experiments/harness/peaks/memory_traffic.hpp"
#include "experiments/harness/run/experiment.hpp"

namespace brickwork {

// Whether reading its tensors once may take longer than its flops: they come from behind L2, and are used a few times
// each. l2_bytes: of all threads; 0: it is unknown, and everything fits, as does what just fills it.
bool may_wait_for_memory(const ProblemInfo&, std::int64_t l2_bytes);

MemoryTraffic reading_of(const ProblemInfo&, int threads);  // all of its bytes, and some of them again
MemoryTraffic moving_of(const ProblemInfo&, int threads);   // as many bytes in, and out

}  // namespace brickwork
