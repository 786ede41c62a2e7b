// The loops around the brick, as data. A driver declares its loops once and writes one body; a schedule says in which
// order, in how many blocking levels and on which threads the loops run. Every legal schedule gives the same result.
//
// The idea is parlooper's (Georganas et al., "Harnessing Deep Learning and HPC Kernels via High-Level Loop and Tensor
// Abstractions on CPU Architectures", arXiv 2304.12576). Here schedules are validated and run on host and device: the
// parallel levels become a league of tasks (league.hpp, league_cuda.cuh), and the levels inside them run in a task.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "kernels/base/host_device.hpp"
#include "kernels/base/result.hpp"
#include "primitives/nest/kept.hpp"
#include "primitives/nest/loop_schedule.hpp"
#include "primitives/nest/private_copies.hpp"
#include "primitives/nest/team_shared.hpp"

namespace brickwork {

enum class LoopKind {
  independent,          // iterations run in any order, also in parallel
  reduction,            // iterations add to one output: they run in ascending order, never in parallel
  reduction_in_copies,  // a reduction that can run in parallel: each part adds to a private copy of the output
};

struct Loop {
  std::string_view name;
  std::int64_t extent = 1;
  LoopKind kind = LoopKind::independent;
  bool ranged = false;  // the body can take several of its iterations at once
};

struct LoopRange {
  std::int64_t begin = 0, end = 0;
  BRICKWORK_HOST_DEVICE std::int64_t size() const { return end - begin; }
};

constexpr int kMaxLoops = 8;
constexpr int kMaxLevels = 16;

// The iterations of one call of the body. Loops are numbered in the order of their declaration.
class LoopIndex {
 public:
  // The iterations to do.
  BRICKWORK_HOST_DEVICE const LoopRange& operator[](int loop) const { return ranges_[loop]; }

  // Whether the first or the last iteration of the loop is among them; for a reduction in copies, the first or last
  // iteration that adds to this copy.
  BRICKWORK_HOST_DEVICE bool first(int loop) const { return ranges_[loop].begin == share_[loop].begin; }
  BRICKWORK_HOST_DEVICE bool last(int loop) const { return ranges_[loop].end == share_[loop].end; }

  // Number of the output's copy to add to, from 0; see PrivateCopies.
  BRICKWORK_HOST_DEVICE std::int64_t copy() const { return copy_; }

  // The task's own memory, TaskNeeds::scratch_bytes long: aligned to cache lines, uninitialised.
  template <class T>
  BRICKWORK_HOST_DEVICE T* scratch() const {
    return static_cast<T*>(scratch_);
  }

 private:
  friend class LoopNest;

  LoopRange ranges_[kMaxLoops];
  LoopRange share_[kMaxLoops];  // the whole loop, or a copy's part of it
  std::int64_t copy_ = 0;
  void* scratch_ = nullptr;
};

// The calls of the body within one iteration of a loop. They share the work that is done once per iteration, such as
// prefetching what the next iteration reads.
struct PassingCalls {
  static constexpr int kLoops = 3;
  int loops[kLoops] = {};                // innermost last
  std::int64_t iterations[kLoops] = {};  // upper bound for each of `loops`
  std::int64_t count = 0;

  BRICKWORK_HOST_DEVICE std::int64_t index(const LoopIndex& at) const {
    std::int64_t index = 0;
    for (int l = 0; l < kLoops; ++l) index = index * iterations[l] + at[loops[l]].begin % iterations[l];
    return index;
  }
};

// The threads and the memory of one task.
struct TaskNeeds {
  int threads = 1;
  std::int64_t scratch_bytes = 0;
};

// A schedule that was checked against the declared loops. It has fixed-size arrays only, so that it can be copied to a
// device.
class LoopNest {
 public:
  // Returns a misfit with one sentence for: an unknown or missing loop, a parallel reduction without copies, a loop
  // that is parallel on two levels, parallel levels that are not neighbours, an inner level whose step is not smaller
  // than the outer one's, and sizes that overflow.
  static Result<LoopNest> make(const std::vector<Loop>& loops, const LoopSchedule& schedule);

  // The largest number of iterations of the loop that the body gets at once.
  std::int64_t step_of(int loop) const { return left_by(level_count_, loop); }
  // Whether the innermost level of `loop` lies inside the innermost level of `other`, and so runs again for each
  // iteration of `other`.
  bool is_inside(int loop, int other) const { return last_level(loop) > last_level(other); }
  // The largest number of iterations of `loop` within one iteration of the outermost level of `other`.
  std::int64_t passing(int loop, int other) const;
  // The calls that passing() iterations of each of these loops make.
  PassingCalls passing_calls(const int (&loops)[PassingCalls::kLoops], int other) const;
  // The largest number of iterations of the loop in one task.
  std::int64_t in_a_task(int loop) const { return left_by(parallel_end_, loop); }
  // Consecutive iterations of `loop` per iteration of `other` within a task; they begin at a multiple of that number.
  // nullopt if the steps of the loop's levels do not divide each other.
  std::optional<std::int64_t> in_a_row(int loop, int other) const;
  bool calls_once_a_task() const {
    for (int level = parallel_end_; level < level_count_; ++level) {
      if (levels_[level].step < in_a_task(levels_[level].loop)) return false;
    }
    return true;
  }
  // The number of copies of the output; 1 if no reduction runs in parallel.
  std::int64_t copies() const;
  // The number of tasks of the parallel levels.
  std::int64_t tasks() const { return tasks_; }

  // Calls body(team, const LoopIndex&) for all iterations. The caller runs the levels outside the braces; each of their
  // iterations ends in a barrier. The space is any type with a parallel_league().
  template <class Space, class Body>
  void run(const Space& space, const Body& body, TaskNeeds needs = {}) const {
    if (copies() > 1) throw std::logic_error("a parallel reduction needs private copies of the output");
    run_tasks(space, body, needs);
  }

  // Runs a reduction in copies. copies.others has (copies() - 1) * copies.size elements. The body adds to
  // copies.of(at.copy()); at the end the copies are summed into the output.
  template <class Space, class Body, class T>
  void run(const Space& space, const Body& body, const PrivateCopies<T>& copies, TaskNeeds needs = {}) const {
    run_tasks(space, body, needs);
    const SumOfCopies<T> sum{copies, this->copies()};
    if (sum.count > 1) parallel_league(space, sum.tasks(needs.threads), needs.threads, 0, sum);
  }

 private:
  struct Level {
    int loop;
    std::int64_t step;
    bool in_copies;  // runs in parallel, and each of its iterations adds to its own copy
  };
  class Walk;
  template <class Space, class Body>
  friend struct LoopTask;

  LoopNest() = default;

  LoopIndex whole() const {
    LoopIndex at;
    for (int loop = 0; loop < kMaxLoops; ++loop) at.ranges_[loop] = at.share_[loop] = {0, extents_[loop]};
    return at;
  }

  // The number of iterations of a level, and its iteration from `begin`. `range` is what the outer levels leave to its
  // loop.
  BRICKWORK_HOST_DEVICE std::int64_t trips(int level, const LoopRange& range) const {
    return (range.size() + levels_[level].step - 1) / levels_[level].step;
  }
  BRICKWORK_HOST_DEVICE LoopRange slice(int level, std::int64_t begin, const LoopRange& range) const {
    const std::int64_t end = begin + levels_[level].step;
    return {begin, end < range.end ? end : range.end};
  }

  template <class Space, class Body>
  void run_tasks(const Space& space, const Body& body, TaskNeeds needs) const;

  int last_level(int loop) const;                    // the loop's innermost level so far; -1: none
  std::int64_t left_by(int levels, int loop) const;  // most iterations of a loop inside the first `levels` levels

  void set_outer(const LoopIndex& outer);

  BRICKWORK_HOST_DEVICE void enter_task(std::int64_t task, void* scratch, LoopIndex& at) const;

  Level levels_[kMaxLevels] = {};
  std::int64_t extents_[kMaxLoops] = {};
  int level_count_ = 0;
  int parallel_begin_ = 0, parallel_end_ = 0;  // equal if nothing is parallel: then one task does all
  LoopIndex outer_;                            // the current iteration of the levels outside the parallel ones
  // The number of iterations of each parallel level at outer_. A launch has fewer than 2^31 tasks, so 32 bits suffice:
  // a device divides them in a third of the time of 64 bits.
  unsigned trips_[kMaxLevels] = {};
  std::int64_t tasks_ = 1;  // the product of trips_
};

// Goes through the iterations of the levels first_ .. end_ - 1 in order. Not recursive, as recursion is slow on a
// device.
class LoopNest::Walk {
 public:
  // For the caller: the levels outside the parallel ones.
  void begin(const LoopNest& nest) {
    at_ = nest.whole(), first_ = 0, end_ = nest.parallel_begin_;
    enter(nest, first_);
  }
  // For a task: the levels inside the parallel ones.
  BRICKWORK_HOST_DEVICE void begin_task(const LoopNest& nest, std::int64_t task, void* scratch) {
    at_ = nest.outer_, first_ = nest.parallel_end_, end_ = nest.level_count_;
    nest.enter_task(task, scratch, at_);
    enter(nest, first_);
  }
  BRICKWORK_HOST_DEVICE const LoopIndex& at() const { return at_; }
  BRICKWORK_HOST_DEVICE bool done() const { return done_; }

  // Goes to the next iteration. After the last one, done() is true and all ranges are as at the beginning.
  BRICKWORK_HOST_DEVICE void next(const LoopNest& nest) {
    for (int level = end_ - 1; level >= first_; --level) {
      LoopRange& range = at_.ranges_[nest.levels_[level].loop];
      if (range.end < whole_[level].end) {
        range = nest.slice(level, range.end, whole_[level]);
        enter(nest, level + 1);
        return;
      }
      range = whole_[level];
    }
    done_ = true;
  }

 private:
  BRICKWORK_HOST_DEVICE void enter(const LoopNest& nest, int level) {
    for (; level < end_; ++level) {
      LoopRange& range = at_.ranges_[nest.levels_[level].loop];
      whole_[level] = range;
      range = nest.slice(level, range.begin, range);
    }
    done_ = false;
  }

  LoopIndex at_;
  LoopRange whole_[kMaxLevels];  // the range that outer levels leave to the level's loop
  int first_, end_;
  bool done_;
};

// The functor of a league. (Not a private class of LoopNest: CUDA does not accept one as a kernel's argument.)
template <class Space, class Body>
struct LoopTask {
  Kept<Space, LoopNest> nest;
  bool calls_once;
  Kept<Space, Body> body;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    TeamShared<LoopNest::Walk, Team> walk(team);
    walk.update([&](LoopNest::Walk& at) { at.begin_task(nest, task, scratch); });
    do {
      body(team, walk.get().at());
      if (calls_once) return;
      walk.update([&](LoopNest::Walk& at) { at.next(nest); });
    } while (!walk.get().done());
  }
};

template <class Space, class Body>
void LoopNest::run_tasks(const Space& space, const Body& body, TaskNeeds needs) const {
  const auto launch = [&](const LoopNest& nest) {
    parallel_league(space, nest.tasks(), needs.threads, needs.scratch_bytes,
                    LoopTask<Space, Body>{nest, calls_once_a_task(), body});
  };
  if (parallel_begin_ == 0) return launch(*this);
  LoopNest nest = *this;
  Walk walk;
  for (walk.begin(*this); !walk.done(); walk.next(*this)) {
    nest.set_outer(walk.at());
    launch(nest);
  }
}

// Tasks number the iterations of the parallel levels with the innermost level fastest; so do copies.
BRICKWORK_HOST_DEVICE inline void LoopNest::enter_task(std::int64_t task, void* scratch, LoopIndex& at) const {
  at.scratch_ = scratch;
  std::int64_t copies_inside = 1;
  auto left = static_cast<unsigned>(task);
  for (int level = parallel_end_ - 1; level >= parallel_begin_; --level) {
    const int loop = levels_[level].loop;
    LoopRange& range = at.ranges_[loop];
    const unsigned n = trips_[level];
    if (n == 1 && !levels_[level].in_copies) continue;
    const unsigned rest = left / n, trip = left - rest * n;
    left = rest;
    range = slice(level, range.begin + trip * levels_[level].step, range);
    if (levels_[level].in_copies) {
      at.share_[loop] = range;
      at.copy_ += trip * copies_inside;
      copies_inside *= n;
    }
  }
}

}  // namespace brickwork
