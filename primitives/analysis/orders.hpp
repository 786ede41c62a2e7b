// All schedules of declared loops that can win: their orders, levels and threads.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "primitives/nest/loop_nest.hpp"
#include "primitives/nest/loop_schedule.hpp"

namespace brickwork {

// How a loop is cut: the steps of its levels, outermost first. A loop without an entry has one level: of step 1, or
// with all its iterations at once if it is ranged.
struct LoopCut {
  std::string loop;
  std::vector<std::int64_t> steps;
};

struct OrderLimits {
  int threads = 1;
  // Pairs of loops of which the first stays outside the second on their innermost levels.
  std::vector<std::pair<std::string, std::string>> outside;
  // Outer levels of cut loops come before all other levels.
  bool cuts_outermost = false;
};

// Every order of the levels, with these restrictions, as what they leave out cannot be faster:
// - Levels of one iteration have one place, the innermost, as they change nothing.
// - An inner level does not directly follow the outer level of its loop, which would be the same as no cut, unless the
//   outer level is parallel.
// - Parallel levels are outermost, as each iteration of a level outside them ends in a barrier; of those only the
// fewest
//   that load the threads evenly (within 5 %), or else as evenly as any number does.
std::vector<LoopSchedule> orders(const std::vector<Loop>&, const std::vector<LoopCut>&, const OrderLimits&);

}  // namespace brickwork
