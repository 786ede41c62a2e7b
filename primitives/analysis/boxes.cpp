#include "primitives/analysis/boxes.hpp"

#include <algorithm>

#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// Whether calls_of() would hold calls that the box lacks: a level with several values has a level of its loop inside it
// that does not run through all iterations. A thread's share of a parallel level is such a one.
bool leaves_gaps(const ScheduledNest& nest, const Box& box, std::size_t outer) {
  const ScheduledLevel& level = nest.levels[outer];
  std::int64_t left = level.step;
  for (std::size_t l = outer + 1; l < nest.levels.size(); ++l) {
    const auto& [loop, step, trips, parallel] = nest.levels[l];
    if (loop != level.loop) continue;
    if ((box.last[l] - box.first[l] + 1) * step < left) return true;
    left = step;
  }
  return false;
}

void add_calls(const ScheduledNest& nest, const Box& box, std::size_t level, std::vector<Calls>& calls) {
  while (level < nest.levels.size() && (box.first[level] == box.last[level] || !leaves_gaps(nest, box, level))) ++level;
  if (level == nest.levels.size()) {
    const Calls found = calls_of(nest, box);
    const auto loops = found.begin() + static_cast<std::ptrdiff_t>(nest.touches.loops.size());
    if (std::all_of(found.begin(), loops, [](const LoopRange& range) { return range.size() > 0; })) {
      calls.push_back(found);
    }
    return;
  }
  Box part = box;
  for (std::int64_t x = box.first[level]; x <= box.last[level]; ++x) {
    part.first[level] = part.last[level] = x;
    add_calls(nest, part, level + 1, calls);
  }
}

}  // namespace

Box whole_box(const ScheduledNest& nest) {
  Box box;
  for (std::size_t l = 0; l < nest.levels.size(); ++l) box.last[l] = nest.levels[l].trips - 1;
  return box;
}

LoopRange range_of(const ScheduledNest& nest, const Box& box, int loop) {
  LoopRange range{0, nest.touches.loops[loop].extent};
  for (std::size_t l = 0; l < nest.levels.size(); ++l) {
    if (nest.levels[l].loop != loop) continue;
    const std::int64_t step = nest.levels[l].step;
    range.end = std::min(range.end, range.begin + (box.last[l] + 1) * step);
    range.begin = std::min(range.end, range.begin + box.first[l] * step);
    if (box.first[l] != box.last[l]) break;
  }
  return range;
}

Calls calls_of(const ScheduledNest& nest, const Box& box) {
  Calls calls;
  for (int loop = 0; loop < std::ssize(nest.touches.loops); ++loop) calls[loop] = range_of(nest, box, loop);
  return calls;
}

std::vector<Calls> calls_between(const ScheduledNest& nest, const Iteration& from, const Iteration& to) {
  const std::size_t depth = nest.levels.size();
  const Box whole = whole_box(nest);
  std::vector<Calls> calls;
  // Adds the iterations that stand at x outside the level and go from `first` to `last` on it.
  const auto add = [&](const Iteration& x, std::size_t level, std::int64_t first, std::int64_t last) {
    if (first > last) return;
    Box box = whole;
    for (std::size_t l = 0; l < level; ++l) box.first[l] = box.last[l] = x[l];
    box.first[level] = first, box.last[level] = last;
    add_calls(nest, box, 0, calls);
  };
  const auto differ = static_cast<std::size_t>(std::ranges::mismatch(from, to).in1 - from.begin());
  if (differ >= depth) {
    add(from, depth - 1, from[depth - 1], from[depth - 1]);
    return calls;
  }
  // What stands at `from` on a level, and later inside it; then what stands at `to`, and earlier. What is all of an
  // iteration of the level outside is added there.
  bool all_after = true, all_before = true;
  for (std::size_t l = depth - 1; l > differ; --l) {
    const std::int64_t first = from[l] + (all_after ? 0 : 1), last = to[l] - (all_before ? 0 : 1);
    all_after = first == 0;
    all_before = last == whole.last[l];
    if (!all_after) add(from, l, first, whole.last[l]);
    if (!all_before) add(to, l, 0, last);
  }
  add(from, differ, from[differ] + (all_after ? 0 : 1), to[differ] - (all_before ? 0 : 1));
  return calls;
}

std::int64_t trips_at(const ScheduledNest& nest, std::size_t level, const Iteration& outer) {
  return ceil_div(nest.iterations(nest.levels[level].loop, outer.data(), level).size(), nest.levels[level].step);
}

}  // namespace brickwork
