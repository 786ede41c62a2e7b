// The dependences of a small nest straight from their definition in working_sets.hpp: every iteration, every point and
// every element is visited.
#pragma once
#include <vector>

#include "primitives/analysis/working_sets.hpp"

namespace brickwork {

// The tensors of the nest have kMostBruteForceElements elements at most.
constexpr std::int64_t kMostBruteForceElements = 1024;

std::vector<Dependence> dependences_by_brute_force(const ScheduledNest&);

}  // namespace brickwork
