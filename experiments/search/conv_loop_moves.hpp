// Changes of a convolution's loop schedule: the order of its levels, which loops are cut into two levels, and which
// levels are parallel. Every change of a legal schedule is legal.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/nest/loop_schedule.hpp"

namespace brickwork {

using LoopExtents = std::map<std::string, std::int64_t, std::less<>>;  // iterations of each loop

// All schedules with one level moved to another place. The braces around the parallel levels stay where they are.
std::vector<LoopSchedule> reordered(const LoopSchedule&);

// All schedules with one loop cut differently: n, kb or oj in one level or in two, the outer level with steps of a
// half, a quarter and so on of the loop; the reduction cb in one piece or in several, at each place.
std::vector<LoopSchedule> cut_otherwise(const LoopSchedule&, const LoopExtents&);

// All schedules with other adjacent levels in parallel.
std::vector<LoopSchedule> spread_otherwise(const LoopSchedule&);

// Adapts a schedule to loops whose numbers of iterations change; a step stays the same share of its loop.
LoopSchedule rescaled(LoopSchedule, const LoopExtents& from, const LoopExtents& to);

// One form for all schedules that run alike: a loop over a single image is outermost; other loops of one iteration are
// innermost, just outside a reduction in one piece.
LoopSchedule settled(LoopSchedule, const LoopExtents&);

}  // namespace brickwork
