// What can be changed in a convolution's loop schedule: the order of its levels, which loops are cut in two levels, and
// which levels are parallel. Every schedule that comes out of a legal one is legal again.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/nest/loop_schedule.hpp"

namespace brickwork {

using LoopExtents = std::map<std::string, std::int64_t, std::less<>>;  // iterations of each loop

// Each level moved to each other place.
std::vector<LoopSchedule> reordered(const LoopSchedule&);

// Each loop but the blocks of pixels in one level or in two, in halves, quarters and so on; the reduction in one piece
// or in several, wherever those stand.
std::vector<LoopSchedule> cut_otherwise(const LoopSchedule&, const LoopExtents&);

// Other neighbouring levels in parallel.
std::vector<LoopSchedule> spread_otherwise(const LoopSchedule&);

// The schedule for loops whose number of iterations has changed.
LoopSchedule rescaled(LoopSchedule, const LoopExtents& from, const LoopExtents& to);

// One form for schedules that run alike: a single image outermost, and innermost what else has a single iteration,
// before a reduction in one piece.
LoopSchedule settled(LoopSchedule, const LoopExtents&);

}  // namespace brickwork
