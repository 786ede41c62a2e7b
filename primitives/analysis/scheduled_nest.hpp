// A nest whose loops have their order, levels and threads: what the analyses read.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/base/result.hpp"
#include "primitives/nest/loop_schedule.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

struct ScheduledLevel {
  int loop = 0;            // index in NestTouches::loops
  std::int64_t step = 1;   // iterations of the loop per iteration of this level
  std::int64_t trips = 1;  // iterations of this level within one iteration of the levels outside it, at most
  bool parallel = false;
};

// An iteration of the nest is a point (x_0, x_1, ...), 0 <= x_l < trips of level l. It is one call of the body, with
// the iterations [b, b + s) of each loop: b is the sum of x_l * step over the loop's levels, s the step of its
// innermost level. A level's iteration ends where that of the same loop's level outside it ends, and the last one at
// the loop's extent: what lies beyond does not exist, and a call with no iterations of some loop touches nothing.
// Iterations run in lexicographic order; those of parallel levels at the same time.
struct ScheduledNest {
  NestTouches touches;
  std::vector<ScheduledLevel> levels;  // outermost first

  // The range of iterations of `loop` in the calls whose first `fixed` levels stand at x[0 .. fixed - 1], while the
  // levels inside them run through all their iterations.
  LoopRange iterations(int loop, const std::int64_t* x, std::size_t fixed) const;
};

// Returns a misfit for a wrong declaration or an illegal schedule.
Result<ScheduledNest> scheduled(const NestTouches&, const LoopSchedule&);

// The levels of a schedule that fits the declared loops.
std::vector<ScheduledLevel> scheduled_levels(const std::vector<Loop>&, const LoopSchedule&);

// What one of `threads` threads runs: the nest with fewer trips of its parallel levels, and none of them parallel. The
// first thread, which has the most work.
ScheduledNest share_of_a_thread(const ScheduledNest&, int threads);

}  // namespace brickwork
