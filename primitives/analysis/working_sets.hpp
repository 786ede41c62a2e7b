// PolyDL's analysis of a nest: which iterations touch the same element, and how much data the nest touches between them
// (arXiv 2006.02230, section 3).
//
// A dependence is a pair of tensors of the declaration that have one name, and a level that carries it: there are
// iterations x before y, equal on all levels outside this one and different on it, so that y touches as an element of
// the second tensor what x touches as one of the first. Let src be the first such x, and t the nearest or the farthest
// y of src. The working set of t is what the iterations from src to t touch, of all tensors, without those in the
// level's last iteration. It counts an element once, also if several tensors of one name touch it.
//
// The paper counts only iterations that are such an x themselves. Without windows and epilogues these are all
// iterations but the level's last, so the sizes are the paper's. Of a window that overlaps with the next, or of an
// epilogue, few iterations are such an x; their data alone would say little about the caches, so that here all
// iterations count. The paper takes the disjuncts of isl's relation as dependences; a level each is what these are for
// rectangular nests. New here: an iteration is a call of the brick, which touches a whole batch, and each element once.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/base/result.hpp"
#include "primitives/analysis/cache_hierarchy.hpp"
#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

// Read after read, read after write, ... A reduction reads and writes: it counts as a write for a later iteration, and
// as a read of what an earlier one wrote.
enum class DependenceKind { rar, raw, war, waw };

struct Dependence {
  DependenceKind kind = DependenceKind::rar;
  int source = 0, target = 0;              // indices in NestTouches::tensors
  int level = 0;                           // index in ScheduledNest::levels
  bool crosses_threads = false;            // the level is parallel
  std::int64_t nearest = 0, farthest = 0;  // the working sets, in elements
  std::int64_t nearest_bytes = 0, farthest_bytes = 0;
};

// Sequential levels count as above. Over a parallel level the paper takes the data D0 and D1 of its first and last
// iteration, with those of src on the levels outside it and all on the levels inside: with U = |D0 + D1|, C = |D0 and
// D1| and n iterations both working sets are (U - C) * n / 2 + C, rounded down.
//
// The nest is one that scheduled() made, or a share of one. Returns a misfit with one sentence if a number exceeds 64
// bits, or if an index leaves so many gaps between its values that a set of them has more than 65536 intervals.
Result<std::vector<Dependence>> dependences(const ScheduledNest&);  // by closed forms, fast

// The same, in the same order, by isl's relations and counts: slow, but independent of the closed forms, which it
// checks. Returns a misfit with one sentence if a number exceeds 64 bits, or if isl needs more than `most_operations`
// of its operations, some 10^7 of which take a second.
Result<std::vector<Dependence>> dependences_by_isl(const ScheduledNest&, unsigned long most_operations = 100'000'000);

// The paper's list: the pairs (nearest, farthest) in elements, without (1, 1) and without repetitions, ascending.
// The matrix product in the order i j k with M = 300, N = 100, K = 200 has (5, 399), (403, 20099), (20302, 109700).
std::vector<std::pair<std::int64_t, std::int64_t>> working_set_sizes(const std::vector<Dependence>&);

// The paper's "pessimistic" placement: the working sets in ascending order fill L1, then L2, then L3, each up to its
// size; what is left is in memory. Bytes by place.
std::array<double, kPlaces> placed(const std::vector<Dependence>&, const CacheHierarchy&);

}  // namespace brickwork
