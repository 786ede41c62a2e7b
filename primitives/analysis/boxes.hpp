// Boxes of a nest's iterations, and the calls in them.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

using Iteration = std::array<std::int64_t, kMaxLevels>;

// The iterations x with first[l] <= x[l] <= last[l] on each level l.
struct Box {
  Iteration first{}, last{};
};

// Calls as a range of iterations for each loop. There is no call if one of them is empty.
using Calls = std::array<LoopRange, kMaxLoops>;

// All iterations.
Box whole_box(const ScheduledNest&);

// The range that holds the loop's iterations in the box's calls. It holds no others if only one of the loop's levels
// has more than one value in the box and the levels inside it have all theirs.
LoopRange range_of(const ScheduledNest&, const Box&, int loop);

// The range of each loop.
Calls calls_of(const ScheduledNest&, const Box&);

// The calls of the iterations from `from` to `to` in lexicographic order, as disjoint ranges that hold no other calls.
std::vector<Calls> calls_between(const ScheduledNest&, const Iteration& from, const Iteration& to);

// The number of iterations of the level that have calls while the levels outside it stand at `outer`.
std::int64_t trips_at(const ScheduledNest&, std::size_t level, const Iteration& outer);

}  // namespace brickwork
