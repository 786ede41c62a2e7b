#include "experiments/harness/peaks/problem_traffic.hpp"

#include <cmath>

namespace brickwork {

bool may_wait_for_memory(const ProblemInfo& problem, std::int64_t l2_bytes) {
  constexpr double kFlopsOfAByte = 16;
  const auto l2 = static_cast<double>(l2_bytes);
  return l2 > 0 && problem.bytes > l2 && problem.flop < kFlopsOfAByte * (problem.bytes + problem.rereads.all());
}

MemoryTraffic reading_of(const ProblemInfo& problem, int threads) {
  return {threads, std::llround(problem.bytes), 0, problem.rereads};
}

MemoryTraffic moving_of(const ProblemInfo& problem, int threads) {
  const double written = problem.bytes_written;
  return {threads, std::llround(problem.bytes - written), std::llround(written)};
}

}  // namespace brickwork
