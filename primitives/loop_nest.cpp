#include "loop_nest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <type_traits>

namespace brickwork {

static_assert(std::is_trivially_copyable_v<LoopNest> && std::is_trivially_copyable_v<LoopIndex>);

namespace {

// Looks at a schedule's levels one after the other, outermost first. Every answer is what is wrong, or nothing.
class Check {
 public:
  explicit Check(const std::vector<Loop>& loops) : loops_(loops), seen_(loops.size()) {}

  std::string loops() const {
    if (loops_.size() > kMaxLoops) return fmt::format("at most {} loops can be declared", kMaxLoops);
    std::int64_t iterations = 1;
    for (const Loop& loop : loops_) {
      if (loop.extent < 1 || loop.extent > kMostIterations / iterations) {
        return fmt::format("'{}' has {} iterations, but all loops together must have from 1 to 2^40", loop.name,
                           loop.extent);
      }
      iterations *= loop.extent;
    }
    return {};
  }

  std::string level(const LoopSchedule::Level& level) {
    const auto found = std::ranges::find(loops_, level.name, &Loop::name);
    if (found == loops_.end()) {
      std::vector<std::string_view> names;
      for (const Loop& loop : loops_) names.push_back(loop.name);
      return fmt::format("there is no loop '{}'; the loops are {}", level.name, fmt::join(names, ", "));
    }
    Seen& outer = seen_[static_cast<std::size_t>(found - loops_.begin())];
    if (level.step < 1 || level.step > kMostIterations) {
      return fmt::format("the step of '{}' must be from 1 to 2^40", level.name);
    }
    if (outer.step != 0 && level.step >= outer.step) {
      return fmt::format("the inner level of '{}' must have a smaller step than the outer one's {}", level.name,
                         outer.step);
    }
    if (found->kind == LoopKind::sequential && steps_closed_) {
      return fmt::format("'{}' goes step by step and must stand outside all other loops", level.name);
    }
    if (level.parallel) {
      if (auto what = parallel(*found, outer); !what.empty()) return what;
    }
    steps_closed_ |= found->kind != LoopKind::sequential;
    last_parallel_ = level.parallel;
    outer = {level.step, outer.parallel || level.parallel};
    return {};
  }

  std::string end() const {
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      if (seen_[l].step == 0) return fmt::format("the loop '{}' is missing", loops_[l].name);
      if (seen_[l].step != 1 && !loops_[l].ranged) {
        return fmt::format("the innermost level of '{}' must have step 1", loops_[l].name);
      }
    }
    return {};
  }

 private:
  struct Seen {
    std::int64_t step = 0;  // of the loop's last level; 0: none yet
    bool parallel = false;
  };

  std::string parallel(const Loop& loop, const Seen& outer) {
    if (loop.kind == LoopKind::sequential) {
      return fmt::format("'{}' goes step by step and cannot run in parallel", loop.name);
    }
    if (loop.kind == LoopKind::reduction) {
      return fmt::format("'{}' adds to one output and cannot run in parallel", loop.name);
    }
    if (outer.parallel) return fmt::format("'{}' can be parallel on one level only", loop.name);
    if (loop.kind == LoopKind::reduction_in_copies) {
      if (outer.step != 0) {
        return fmt::format("'{}' gives each of its parts a copy, so only its outermost level can be parallel",
                           loop.name);
      }
      const auto steps = std::ranges::find(loops_, LoopKind::sequential, &Loop::kind);
      if (steps != loops_.end()) {
        return fmt::format("'{}' cannot run in parallel, as every step of '{}' needs the sum of its copies", loop.name,
                           steps->name);
      }
    }
    if (parallel_seen_ && !last_parallel_) return "the parallel levels must be neighbours";
    parallel_seen_ = true;
    return {};
  }

  const std::vector<Loop>& loops_;
  std::vector<Seen> seen_;     // of each loop
  bool steps_closed_ = false;  // a loop that is not sequential has been seen
  bool parallel_seen_ = false, last_parallel_ = false;
};

}  // namespace

Result<LoopNest> LoopNest::make(const std::vector<Loop>& loops, const LoopSchedule& schedule) {
  const auto misfit = [&](std::string_view what) {
    return Result<LoopNest>::misfit(fmt::format("loop schedule '{}': {}", to_string(schedule), what));
  };
  if (schedule.levels.size() > kMaxLevels) return misfit(fmt::format("at most {} levels are possible", kMaxLevels));
  Check check(loops);
  if (const auto what = check.loops(); !what.empty()) return misfit(what);

  LoopNest nest;
  for (std::size_t l = 0; l < loops.size(); ++l) nest.extents_[l] = loops[l].extent;
  int steps = 0;  // levels of sequential loops, which come first
  for (const LoopSchedule::Level& level : schedule.levels) {
    if (const auto what = check.level(level); !what.empty()) return misfit(what);
    const auto loop = std::ranges::find(loops, level.name, &Loop::name);
    steps += loop->kind == LoopKind::sequential;
    const bool in_copies = level.parallel && loop->kind == LoopKind::reduction_in_copies;
    if (level.parallel && nest.parallel_end_ == 0) nest.parallel_begin_ = nest.level_count_;
    nest.levels_[nest.level_count_++] = {static_cast<int>(loop - loops.begin()), level.step, in_copies};
    if (level.parallel) nest.parallel_end_ = nest.level_count_;
  }
  if (const auto what = check.end(); !what.empty()) return misfit(what);
  if (nest.parallel_end_ == 0) nest.parallel_begin_ = nest.parallel_end_ = steps;  // a task does a whole step
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

std::int64_t LoopNest::step_of(int loop) const {
  std::int64_t step = extents_[loop];
  for (int l = 0; l < level_count_; ++l) {
    if (levels_[l].loop == loop) step = std::min(step, levels_[l].step);
  }
  return step;
}

bool LoopNest::is_inside(int loop, int other) const {
  int inner = -1;
  for (int l = 0; l < level_count_; ++l) {
    if (levels_[l].loop == loop || levels_[l].loop == other) inner = levels_[l].loop;
  }
  return inner == loop;
}

std::int64_t LoopNest::passing(int loop, int other) const {
  std::int64_t iterations = extents_[loop];
  for (int l = 0; l < level_count_ && levels_[l].loop != other; ++l) {
    if (levels_[l].loop == loop) iterations = std::min(iterations, levels_[l].step);
  }
  return iterations;
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

std::int64_t LoopNest::in_a_task(int loop) const {
  std::int64_t iterations = extents_[loop];
  for (int l = 0; l < parallel_end_; ++l) {
    if (levels_[l].loop == loop) iterations = std::min(iterations, levels_[l].step);
  }
  return iterations;
}

std::optional<std::int64_t> LoopNest::in_a_row(int loop, int other) const {
  int outside = parallel_end_;
  for (int l = 0; l < level_count_; ++l) {
    if (levels_[l].loop == other) outside = std::max(outside, l);
  }
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
