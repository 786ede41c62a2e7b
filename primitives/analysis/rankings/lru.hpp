// A simulation of the caches, after parlooper's (Georganas et al., arXiv 2304.12576): the calls of one thread run in
// the order of the schedule, and caches that replace what was not used for longest hold the blocks of the tensors that
// the calls touch.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

// The time of the nest in nanoseconds. Each use of a block takes its touched bytes over the bandwidth of the place
// where the block was; multiply-adds and calls of the brick take their own time. The simulation ends after about
// `most_uses` uses of blocks. If the nest has more, the later half of the simulated ones stands for all, as the first
// ones find empty caches.
double simulated_nanoseconds(const Variant&, const CacheHierarchy&, std::int64_t most_uses);

// The number of calls: iterations that exist.
double calls_of(const ScheduledNest&);

struct LruEffort {
  std::int64_t uses = 8'000'000;  // of blocks, of all variants together, in each of two rounds
  std::size_t finalists = 256;
};

// Nanoseconds. The first round simulates all variants, each for the same number of uses. The second one repeats the
// fastest ones for more uses; the others follow all of these.
std::vector<double> costs_by_lru(std::span<const Variant>, const CacheHierarchy&, const LruEffort&);

std::vector<double> costs_by_lru(std::span<const Variant>, const CacheHierarchy&);

}  // namespace brickwork
