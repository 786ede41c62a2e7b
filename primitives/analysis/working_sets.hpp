// PolyDL's analysis of a nest: which iterations touch the same element, and how much data the nest touches between them
// (arXiv 2006.02230, section 3).
//
// A dependence is a pair of tensors of the declaration that are the same tensor, and a level that carries it:
// iterations x before y that touch a common element, equal on all levels outside this one and different on it. Let dom
// be the set of such x, src its first iteration, and t the nearest or the farthest y of src. The working set of t is
// what the iterations of dom from src to t touch, of all tensors. (The paper takes the disjuncts of isl's relation as
// dependences; a level each is what these are for rectangular nests.) New here: an iteration is a call of the brick,
// which touches a whole batch, and each element once.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/base/result.hpp"
#include "primitives/analysis/cache_hierarchy.hpp"
#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

enum class DependenceKind { rar, raw, war, waw };  // read after read, read after write, ...

struct Dependence {
  DependenceKind kind = DependenceKind::rar;
  int source = 0, target = 0;              // indices in NestTouches::tensors
  int level = 0;                           // index in ScheduledNest::levels
  bool crosses_threads = false;            // the level is parallel
  std::int64_t nearest = 0, farthest = 0;  // the working sets, in elements
  std::int64_t nearest_bytes = 0, farthest_bytes = 0;
};

// Sequential levels count as above. Over a parallel level the paper takes the data D0 and D1 of its first and last
// iteration: with U = |D0 + D1|, C = |D0 and D1| and n iterations both working sets are (U - C) * n / 2 + C.
// Returns a misfit with one sentence if a number exceeds 64 bits.
Result<std::vector<Dependence>> dependences(const ScheduledNest&);  // by closed forms, fast

// The same by isl's relations and counts: slow, for nests of any form, and the check of the closed forms.
Result<std::vector<Dependence>> dependences_by_isl(const ScheduledNest&);

// The paper's list: the pairs (nearest, farthest) in elements, without sizes of 1 and without repetitions, ascending.
// The matrix product in the order i j k with M = 300, N = 100, K = 200 has (5, 399), (403, 20099), (20302, 109700).
std::vector<std::pair<std::int64_t, std::int64_t>> working_set_sizes(const std::vector<Dependence>&);

// The paper's "pessimistic" placement: the working sets in ascending order fill L1, then L2, then L3, each up to its
// size; what is left is in memory. Bytes by place.
std::array<double, kPlaces> placed(const std::vector<Dependence>&, const CacheHierarchy&);

}  // namespace brickwork
