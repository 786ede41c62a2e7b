#include "primitives/analysis/scheduled_nest.hpp"

#include <algorithm>

#include "primitives/nest/integers.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

LoopRange ScheduledNest::iterations(int loop, const std::int64_t* x, std::size_t fixed) const {
  const std::int64_t extent = touches.loops[static_cast<std::size_t>(loop)].extent;
  LoopRange range{0, extent};
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (levels[l].loop != loop) continue;
    const std::int64_t first = l < fixed ? x[l] : 0, count = l < fixed ? 1 : levels[l].trips;
    range.begin += first * levels[l].step;
    range.end = std::min(range.end, range.begin + count * levels[l].step);
    if (l >= fixed) break;
  }
  range.begin = std::min(range.begin, range.end);
  return range;
}

Result<ScheduledNest> scheduled(const NestTouches& touches, const LoopSchedule& schedule) {
  if (std::string what = misdeclared(touches); !what.empty()) return Result<ScheduledNest>::misfit(std::move(what));
  if (const auto legal = LoopNest::make(touches.loops, schedule); !legal) return {legal.status(), legal.reason()};
  return ScheduledNest{touches, scheduled_levels(touches.loops, schedule)};
}

std::vector<ScheduledLevel> scheduled_levels(const std::vector<Loop>& loops, const LoopSchedule& schedule) {
  std::vector<ScheduledLevel> levels;
  for (const LoopSchedule::Level& level : schedule.levels) {
    const auto found = std::ranges::find(loops, level.name, &Loop::name);
    const auto loop = static_cast<int>(found - loops.begin());
    std::int64_t left = found->extent;
    for (const ScheduledLevel& outer : levels) {
      if (outer.loop == loop) left = std::min(left, outer.step);
    }
    levels.push_back({loop, level.step, ceil_div(left, level.step), level.parallel});
  }
  return levels;
}

ScheduledNest share_of_a_thread(const ScheduledNest& nest, int threads) {
  ScheduledNest share = nest;
  std::int64_t left = threads;
  for (ScheduledLevel& level : share.levels) {
    if (!level.parallel) continue;
    const std::int64_t parts = std::min(left, level.trips);
    level.trips = ceil_div(level.trips, parts);
    level.parallel = false;
    left = ceil_div(left, parts);
  }
  return share;
}

}  // namespace brickwork
