// Changes of a convolution's loop schedule: the order of its levels, which loops are cut into two levels, and which
// levels are parallel. A legal schedule becomes legal schedules only.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/nest/loop_schedule.hpp"

namespace brickwork {

using LoopExtents = std::map<std::string, std::int64_t, std::less<>>;  // iterations of each loop

// Moves each level to each other place; the braces of the parallel levels stay where they are.
std::vector<LoopSchedule> reordered(const LoopSchedule&);

// Cuts loops in another way: n, kb and oj in one level or in two, the outer one with steps of a half, a quarter and so
// on; the reduction cb in one piece or in several, at each place.
std::vector<LoopSchedule> cut_otherwise(const LoopSchedule&, const LoopExtents&);

// Makes other adjacent levels parallel.
std::vector<LoopSchedule> spread_otherwise(const LoopSchedule&);

// Adapts a schedule to loops whose numbers of iterations change; a step stays the same share of its loop.
LoopSchedule rescaled(LoopSchedule, const LoopExtents& from, const LoopExtents& to);

// One form for all schedules that run alike: a loop over a single image is outermost; other loops of one iteration are
// innermost, just outside a reduction in one piece.
LoopSchedule settled(LoopSchedule, const LoopExtents&);

}  // namespace brickwork
