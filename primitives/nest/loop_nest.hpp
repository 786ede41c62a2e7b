// Loops around the brick, as data: a driver declares its loops once and writes one body; a schedule says in which
// order, in how many blocking levels and on which threads they run. Any legal schedule gives the same result.
//
// The idea is parlooper's (Georganas et al., "Harnessing Deep Learning and HPC Kernels via High-Level Loop and Tensor
// Abstractions on CPU Architectures", arXiv 2304.12576); here schedules are validated and run on host and device: the
// parallel levels become a league of tasks (league.hpp, league_cuda.cuh), the rest runs inside a task.
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
  independent,          // iterations in any order, also in parallel
  reduction,            // they add to one output: in ascending order, never in parallel
  reduction_in_copies,  // the same, but in parallel every part adds to a private copy, which the driver brings
};

struct Loop {
  std::string_view name;
  std::int64_t extent = 1;
  LoopKind kind = LoopKind::independent;
  bool ranged = false;  // the body takes several of its iterations at once
};

struct LoopRange {
  std::int64_t begin = 0, end = 0;
  BRICKWORK_HOST_DEVICE std::int64_t size() const { return end - begin; }
};

constexpr int kMaxLoops = 8;
constexpr int kMaxLevels = 16;

// What the body gets to know. Loops go by their place in the declaration.
class LoopIndex {
 public:
  // The iterations to do.
  BRICKWORK_HOST_DEVICE const LoopRange& operator[](int loop) const { return ranges_[loop]; }

  // Whether they are the first or the last of the loop; of a reduction in copies, among those that add to this copy.
  BRICKWORK_HOST_DEVICE bool first(int loop) const { return ranges_[loop].begin == share_[loop].begin; }
  BRICKWORK_HOST_DEVICE bool last(int loop) const { return ranges_[loop].end == share_[loop].end; }

  // Which copy of the output to add to, from 0; see PrivateCopies.
  BRICKWORK_HOST_DEVICE std::int64_t copy() const { return copy_; }

  // The task's own memory, as many bytes as run() was asked for: aligned to cache lines, of any content.
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

// The calls that pass by for one iteration of a loop, which share what is done once for it, such as asking for what its
// next iteration reads.
struct PassingCalls {
  static constexpr int kLoops = 3;
  int loops[kLoops] = {};                // the innermost last
  std::int64_t iterations[kLoops] = {};  // of each of them, at most
  std::int64_t count = 0;

  BRICKWORK_HOST_DEVICE std::int64_t index(const LoopIndex& at) const {
    std::int64_t index = 0;
    for (int l = 0; l < kLoops; ++l) index = index * iterations[l] + at[loops[l]].begin % iterations[l];
    return index;
  }
};

// What one task runs on.
struct TaskNeeds {
  int threads = 1;
  std::int64_t scratch_bytes = 0;
};

// A schedule checked against the declared loops and turned into fixed-size arrays, so that it can be copied to a
// device.
class LoopNest {
 public:
  // A misfit, in one sentence: an unknown loop, a loop missing, a reduction in parallel without copies, a loop
  // in parallel on two levels, parallel levels that are not neighbours, a step that an inner level does not refine,
  // sizes that overflow.
  static Result<LoopNest> make(const std::vector<Loop>& loops, const LoopSchedule& schedule);

  // At most so many iterations of the loop reach the body at once.
  std::int64_t step_of(int loop) const { return left_by(level_count_, loop); }
  // Whether the innermost level of a loop lies inside that of another: it passes by for every iteration of the other.
  bool is_inside(int loop, int other) const { return last_level(loop) > last_level(other); }
  // At most so many iterations of the loop pass by for one of the outermost level of another.
  std::int64_t passing(int loop, int other) const;
  // The calls that so many iterations of these loops are then.
  PassingCalls passing_calls(const int (&loops)[PassingCalls::kLoops], int other) const;
  // At most so many iterations of the loop are one task's.
  std::int64_t in_a_task(int loop) const { return left_by(parallel_end_, loop); }
  // So many of them follow each other while another loop stays where it is, from a multiple of so many on; nothing
  // where they may begin elsewhere, as a level's step does not divide that of the level around it.
  std::optional<std::int64_t> in_a_row(int loop, int other) const;
  // Whether a task is a single call of the body.
  bool calls_once_a_task() const {
    for (int level = parallel_end_; level < level_count_; ++level) {
      if (levels_[level].step < in_a_task(levels_[level].loop)) return false;
    }
    return true;
  }
  // How many copies of its output a reduction needs; 1 where it does not run in parallel.
  std::int64_t copies() const;
  // How many tasks the parallel levels give.
  std::int64_t tasks() const { return tasks_; }

  // Runs body(team, const LoopIndex&) over all iterations. Levels outside the braces are run by the caller, each of
  // their iterations ending in a barrier. The space is whatever has a parallel_league().
  template <class Space, class Body>
  void run(const Space& space, const Body& body, TaskNeeds needs = {}) const {
    if (copies() > 1) throw std::logic_error("a reduction in parallel needs private copies to add to");
    run_tasks(space, body, needs);
  }

  // The same, with (copies() - 1) * size elements in copies.others: body adds to copies.of(copy()), and in the end the
  // copies are summed into the output.
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
    bool in_copies;  // it runs in parallel, and each of its iterations adds to a copy of its own
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

  // The iterations of a level, and the one from `begin`, in the range that the levels outside leave to its loop.
  BRICKWORK_HOST_DEVICE std::int64_t trips(int level, const LoopRange& range) const {
    return (range.size() + levels_[level].step - 1) / levels_[level].step;
  }
  BRICKWORK_HOST_DEVICE LoopRange slice(int level, std::int64_t begin, const LoopRange& range) const {
    const std::int64_t end = begin + levels_[level].step;
    return {begin, end < range.end ? end : range.end};
  }

  template <class Space, class Body>
  void run_tasks(const Space& space, const Body& body, TaskNeeds needs) const;

  int last_level(int loop) const;                    // the innermost one so far; -1: none
  std::int64_t left_by(int levels, int loop) const;  // at most so many iterations of a loop, by that many outer levels

  void set_outer(const LoopIndex& outer);

  BRICKWORK_HOST_DEVICE void enter_task(std::int64_t task, void* scratch, LoopIndex& at) const;

  Level levels_[kMaxLevels] = {};
  std::int64_t extents_[kMaxLoops] = {};
  int level_count_ = 0;
  int parallel_begin_ = 0, parallel_end_ = 0;  // equal where nothing is parallel: then one task does all
  LoopIndex outer_;                            // where the levels outside the parallel ones are
  // The iterations of the parallel levels there, of which a launch has fewer than 2^31: a device divides 32 bits in a
  // third of the time of 64, and where there is one it need not.
  unsigned trips_[kMaxLevels] = {};
  std::int64_t tasks_ = 1;  // their product
};

// The iterations of the levels first .. end - 1, in order. Without recursion, which a device pays for dearly.
class LoopNest::Walk {
 public:
  // The levels outside the parallel ones, which the caller runs.
  void begin(const LoopNest& nest) {
    at_ = nest.whole(), first_ = 0, end_ = nest.parallel_begin_;
    enter(nest, first_);
  }
  // Those inside, of one task.
  BRICKWORK_HOST_DEVICE void begin_task(const LoopNest& nest, std::int64_t task, void* scratch) {
    at_ = nest.outer_, first_ = nest.parallel_end_, end_ = nest.level_count_;
    nest.enter_task(task, scratch, at_);
    enter(nest, first_);
  }
  BRICKWORK_HOST_DEVICE const LoopIndex& at() const { return at_; }
  BRICKWORK_HOST_DEVICE bool done() const { return done_; }

  // Goes to the next iteration; where there is none it is done, with everything as at the beginning.
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
  LoopRange whole_[kMaxLevels];  // what the levels outside leave to a level's loop
  int first_, end_;
  bool done_;
};

// What a league runs. (No class within LoopNest, as CUDA takes none that is private for a kernel's argument.)
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

// The parallel levels' iterations are numbered with the innermost fastest, the copies likewise.
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
