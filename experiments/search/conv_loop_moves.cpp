#include "experiments/search/conv_loop_moves.hpp"

#include <algorithm>

namespace brickwork {
namespace {

using Level = LoopSchedule::Level;
using Levels = std::vector<Level>;

struct Range {
  std::size_t begin, size;
};

Range parallel_range(const Levels& levels) {
  const auto first = std::ranges::find(levels, true, &Level::parallel);
  return {static_cast<std::size_t>(first - levels.begin()),
          static_cast<std::size_t>(std::ranges::count(levels, true, &Level::parallel))};
}

// Makes up to range.size levels from range.begin on parallel. A reduction at the start of the range is skipped; a later
// one, or a second level of the same loop, ends the range.
Levels spread(Levels levels, Range range) {
  for (Level& level : levels) level.parallel = false;
  std::size_t begin = range.begin;
  while (begin < levels.size() && levels[begin].name == "cb") ++begin;
  const auto in_it = [&](std::size_t end, const std::string& name) {
    const auto first = levels.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = levels.begin() + static_cast<std::ptrdiff_t>(end);
    return std::ranges::find(first, last, name, &Level::name) != last;
  };
  for (std::size_t i = begin; i < std::min(begin + range.size, levels.size()); ++i) {
    if (levels[i].name == "cb" || in_it(i, levels[i].name)) break;
    levels[i].parallel = true;
  }
  return levels;
}

// Removes each level that has a level of the same loop inside it, if such(outer, inner).
template <class Such>
void drop_outer_levels(Levels& levels, const Such& such) {
  for (auto outer = levels.begin(); outer != levels.end();) {
    const auto inner = std::find_if(outer + 1, levels.end(), [&](const Level& l) { return l.name == outer->name; });
    outer = inner != levels.end() && such(*outer, *inner) ? levels.erase(outer) : outer + 1;
  }
}

// Whether each level has a smaller step than the levels of the same loop outside it.
bool refines(Levels levels) {
  const std::size_t all = levels.size();
  drop_outer_levels(levels, [](const Level& outer, const Level& inner) { return inner.step >= outer.step; });
  return levels.size() == all;
}

template <class Change>
void add_changed(std::vector<LoopSchedule>& schedules, const Levels& from, const Change& change) {
  Levels levels = from;
  change(levels);
  if (refines(levels)) schedules.push_back({spread(std::move(levels), parallel_range(from))});
}

// Indices of a loop's levels, outermost first.
std::vector<std::ptrdiff_t> places(const Levels& levels, std::string_view loop) {
  std::vector<std::ptrdiff_t> found;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].name == loop) found.push_back(static_cast<std::ptrdiff_t>(i));
  }
  return found;
}

// Steps of a half, a quarter and so on of the loop: more than one iteration and fewer than all.
std::vector<std::int64_t> parts_of(std::int64_t extent) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = (extent + 1) / 2; step > 1 && step < extent; step = (step + 1) / 2) {
    steps.push_back(step);
    if (step == 2) break;
  }
  return steps;
}

void cut_loop(std::vector<LoopSchedule>& schedules, const Levels& levels, const std::string& loop,
              std::int64_t extent) {
  const auto at = places(levels, loop);
  if (at.size() == 1) {
    for (const std::int64_t step : parts_of(extent)) {
      for (auto inner = at[0] + 2; inner <= std::ssize(levels); ++inner) {
        add_changed(schedules, levels, [&](Levels& l) {
          l[static_cast<std::size_t>(at[0])].step = step;
          l.insert(l.begin() + inner, {loop, 1, false});
        });
      }
    }
  } else if (at.size() == 2) {
    for (const auto one : at) {
      add_changed(schedules, levels, [&](Levels& l) {
        l.erase(l.begin() + one);
        std::ranges::find(l, loop, &Level::name)->step = 1;
      });
    }
    for (const std::int64_t step : parts_of(extent)) {
      add_changed(schedules, levels, [&](Levels& l) { l[static_cast<std::size_t>(at[0])].step = step; });
    }
  }
}

// Puts the reduction, in pieces of different sizes, at each place. settled() moves a reduction in one piece innermost.
void cut_reduction(std::vector<LoopSchedule>& schedules, const Levels& levels, std::int64_t extent) {
  const auto at = places(levels, "cb");
  if (at.size() != 1) return;
  std::vector<std::int64_t> steps = parts_of(extent);
  steps.insert(steps.end(), {extent, 1});
  for (const std::int64_t step : steps) {
    for (auto place = std::ssize(levels) - 1; place >= 0; --place) {
      add_changed(schedules, levels, [&](Levels& l) {
        l.erase(l.begin() + at[0]);
        l.insert(l.begin() + place, {"cb", step, false});
      });
    }
  }
}

}  // namespace

std::vector<LoopSchedule> reordered(const LoopSchedule& schedule) {
  const Levels& levels = schedule.levels;
  std::vector<LoopSchedule> schedules;
  for (std::ptrdiff_t from = std::ssize(levels) - 1; from >= 0; --from) {
    for (std::ptrdiff_t to = 0; to < std::ssize(levels); ++to) {
      if (to == from) continue;
      add_changed(schedules, levels, [&](Levels& l) {
        Level moved = l[static_cast<std::size_t>(from)];
        l.erase(l.begin() + from);
        l.insert(l.begin() + to, std::move(moved));
      });
    }
  }
  return schedules;
}

std::vector<LoopSchedule> cut_otherwise(const LoopSchedule& schedule, const LoopExtents& extents) {
  std::vector<LoopSchedule> schedules;
  cut_reduction(schedules, schedule.levels, extents.at("cb"));
  for (const char* loop : {"n", "kb", "oj"}) cut_loop(schedules, schedule.levels, loop, extents.at(loop));
  return schedules;
}

std::vector<LoopSchedule> spread_otherwise(const LoopSchedule& schedule) {
  constexpr std::size_t kOutside = 2;  // levels outside the parallel ones: each of their iterations ends in a barrier
  std::vector<LoopSchedule> schedules;
  for (std::size_t begin = 0; begin <= kOutside; ++begin) {
    for (std::size_t size = 1; size <= schedule.levels.size(); ++size) {
      schedules.push_back({spread(schedule.levels, {begin, size})});
    }
  }
  return schedules;
}

LoopSchedule rescaled(LoopSchedule schedule, const LoopExtents& from, const LoopExtents& to) {
  for (const auto& [loop, extent] : to) {
    const std::int64_t before = from.at(loop);
    auto at = places(schedule.levels, loop);
    if (loop != "cb" && !at.empty()) at.pop_back();  // the innermost level of the other loops has step 1
    for (const auto place : at) {
      std::int64_t& step = schedule.levels[static_cast<std::size_t>(place)].step;
      step = step >= before ? extent : std::max<std::int64_t>(1, step * extent / before);
    }
  }
  Levels& levels = schedule.levels;
  drop_outer_levels(levels, [](const Level& outer, const Level& inner) { return inner.step >= outer.step; });
  levels = spread(levels, parallel_range(levels));
  return schedule;
}

LoopSchedule settled(LoopSchedule schedule, const LoopExtents& extents) {
  drop_outer_levels(schedule.levels, [&](const Level& outer, const Level&) {
    return outer.step >= extents.at(outer.name);  // it has a single iteration
  });
  Levels outermost, between, single, innermost;
  for (Level& level : schedule.levels) {
    const std::int64_t extent = extents.at(level.name);
    const bool whole_reduction = level.name == "cb" && level.step >= extent;
    if (whole_reduction) {
      innermost = {{"cb", extent, false}};
    } else if (extent > 1) {
      between.push_back(std::move(level));
    } else if (level.name == "n") {
      outermost = {{"n", 1, false}};
    } else if (std::ranges::find(single, level.name, &Level::name) == single.end()) {
      single.push_back({level.name, 1, false});
    }
  }
  std::ranges::sort(single, {}, [](const Level& level) { return level.name == "kb" ? 0 : level.name == "oj" ? 1 : 2; });
  schedule.levels = std::move(outermost);
  for (const Levels& more : {between, single, innermost}) {
    schedule.levels.insert(schedule.levels.end(), more.begin(), more.end());
  }
  return schedule;
}

}  // namespace brickwork
