#include "primitives/nest/loop_nest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

namespace brickwork {

static_assert(std::is_trivially_copyable_v<LoopNest> && std::is_trivially_copyable_v<LoopIndex>);

int LoopNest::last_level(int loop) const {
  int level = level_count_ - 1;
  while (level >= 0 && levels_[level].loop != loop) --level;
  return level;
}

Result<LoopNest> LoopNest::make(const std::vector<Loop>& loops, const LoopSchedule& schedule) {
  const auto misfit = [&]<class... Args>(fmt::format_string<Args...> what, Args&&... args) {
    return Result<LoopNest>::misfit(
        fmt::format("loop schedule '{}': {}", to_string(schedule), fmt::format(what, std::forward<Args>(args)...)));
  };
  if (schedule.levels.size() > kMaxLevels) return misfit("at most {} levels are possible", kMaxLevels);
  if (loops.size() > kMaxLoops) return misfit("at most {} loops can be declared", kMaxLoops);
  LoopNest nest;
  std::int64_t iterations = 1;
  for (std::size_t l = 0; l < loops.size(); ++l) {
    const std::int64_t extent = loops[l].extent;
    if (extent < 1 || extent > kMostIterations / iterations) {
      return misfit("'{}' has {} iterations, but all loops together must have from 1 to 2^40", loops[l].name, extent);
    }
    nest.extents_[l] = extent;
    iterations *= extent;
  }
  for (const auto& [name, step, parallel] : schedule.levels) {
    const auto found = std::ranges::find(loops, name, &Loop::name);
    if (found == loops.end()) {
      std::vector<std::string_view> names;
      for (const Loop& loop : loops) names.push_back(loop.name);
      return misfit("there is no loop '{}'; the loops are {}", name, fmt::join(names, ", "));
    }
    const auto loop = static_cast<int>(found - loops.begin());
    const int outer = nest.last_level(loop);
    if (step < 1 || step > kMostIterations) return misfit("the step of '{}' must be from 1 to 2^40", name);
    if (outer >= 0 && step >= nest.levels_[outer].step) {
      return misfit("the inner level of '{}' must have a smaller step than the outer level's {}", name,
                    nest.levels_[outer].step);
    }
    const bool in_copies = parallel && found->kind == LoopKind::reduction_in_copies;
    if (parallel) {
      const auto same_loop = [&](const Level& level) { return level.loop == loop; };
      if (found->kind == LoopKind::reduction) return misfit("'{}' adds to one output and cannot run in parallel", name);
      if (std::any_of(nest.levels_ + nest.parallel_begin_, nest.levels_ + nest.parallel_end_, same_loop)) {
        return misfit("'{}' can be parallel on one level only", name);
      }
      if (in_copies && outer >= 0) {
        return misfit("'{}' has a private copy of the output per part, so only its outermost level can be parallel",
                      name);
      }
      if (nest.parallel_end_ == 0) nest.parallel_begin_ = nest.parallel_end_ = nest.level_count_;
      if (nest.parallel_end_ != nest.level_count_) return misfit("the parallel levels must be neighbours");
      ++nest.parallel_end_;
    }
    nest.levels_[nest.level_count_++] = {loop, step, in_copies};
  }
  for (std::size_t l = 0; l < loops.size(); ++l) {
    const int innermost = nest.last_level(static_cast<int>(l));
    if (innermost < 0) return misfit("the loop '{}' is missing", loops[l].name);
    if (nest.levels_[innermost].step != 1 && !loops[l].ranged) {
      return misfit("the innermost level of '{}' must have step 1", loops[l].name);
    }
  }
  nest.set_outer(nest.whole());
  return nest;
}

void LoopNest::set_outer(const LoopIndex& outer) {
  outer_ = outer, tasks_ = 1;
  for (int level = parallel_begin_; level < parallel_end_; ++level) {
    const std::int64_t n = trips(level, outer_.ranges_[levels_[level].loop]);
    trips_[level] = static_cast<unsigned>(n);
    tasks_ *= n;
  }
}

std::int64_t LoopNest::left_by(int levels, int loop) const {
  std::int64_t iterations = extents_[loop];
  for (int l = 0; l < levels; ++l) {
    if (levels_[l].loop == loop) iterations = std::min(iterations, levels_[l].step);
  }
  return iterations;
}

std::int64_t LoopNest::passing(int loop, int other) const {
  int outside = 0;
  while (outside < level_count_ && levels_[outside].loop != other) ++outside;
  return left_by(outside, loop);
}

PassingCalls LoopNest::passing_calls(const int (&loops)[PassingCalls::kLoops], int other) const {
  PassingCalls calls{.count = 1};
  for (int l = 0; l < PassingCalls::kLoops; ++l) {
    calls.loops[l] = loops[l];
    calls.iterations[l] = passing(loops[l], other);
    calls.count *= calls.iterations[l];
  }
  return calls;
}

std::optional<std::int64_t> LoopNest::in_a_row(int loop, int other) const {
  const int outside = std::max(parallel_end_, last_level(other));
  std::optional<std::int64_t> step;
  for (int l = 0; l < outside; ++l) {
    if (levels_[l].loop != loop) continue;
    if (step && *step % levels_[l].step != 0) return std::nullopt;
    step = levels_[l].step;
  }
  return std::min(step.value_or(extents_[loop]), extents_[loop]);
}

std::int64_t LoopNest::copies() const {
  std::int64_t copies = 1;
  for (int l = 0; l < level_count_; ++l) {
    if (levels_[l].in_copies) copies *= trips(l, {0, extents_[levels_[l].loop]});
  }
  return copies;
}

}  // namespace brickwork
