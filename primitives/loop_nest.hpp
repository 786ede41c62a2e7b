// Loops around the brick, as data: a driver declares its loops once and writes one body; a schedule says in which
// order, in how many blocking levels and on which threads they run. Any legal schedule gives the same result.
//
// The idea is parlooper's (Georganas et al., "Harnessing Deep Learning and HPC Kernels via High-Level Loop and Tensor
// Abstractions on CPU Architectures", arXiv 2304.12576); here schedules are validated and run on a Kokkos space.
//
// Text form, outermost level first:   {n kb} cb:4 oj:7 oj oi
//   name      one level of that loop
//   name:S    a level that advances S iterations at a time; a level of the same name further in walks those S. On a
//             loop's innermost level, S > 1 hands the body S iterations at once, which only ranged loops allow.
//   { ... }   these neighbouring levels run in parallel: their collapsed iterations are cut into one contiguous chunk a
//             thread, the same for every run, so that a thread finds its data again in its own L2.
#pragma once
#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

struct Loop {
  std::string_view name;
  std::int64_t extent = 1;
  bool reduction = false;  // its iterations add to one output: never in parallel
  bool ranged = false;     // the body takes several of its iterations at once
};

struct LoopSchedule {
  struct Level {
    std::string name;
    std::int64_t step = 1;
    bool parallel = false;
    friend bool operator==(const Level&, const Level&) = default;
  };
  std::vector<Level> levels;
  friend bool operator==(const LoopSchedule&, const LoopSchedule&) = default;
};

std::string to_string(const LoopSchedule&);

// Throws std::invalid_argument with the text and a mark under the offending character.
LoopSchedule parse_loop_schedule(std::string_view text);

struct LoopRange {
  std::int64_t begin = 0, end = 0;
  KOKKOS_FUNCTION std::int64_t size() const { return end - begin; }
};

constexpr int kMaxLoops = 8;
constexpr int kMaxLevels = 16;

// What the body gets: for each declared loop, in the order of declaration, the iterations to do.
using LoopRanges = std::array<LoopRange, kMaxLoops>;

// A schedule checked against the declared loops and turned into fixed-size arrays, so that it can be copied to a
// device.
class LoopNest {
 public:
  // Throws std::invalid_argument with one sentence: an unknown loop, a loop missing, a reduction loop in parallel, a
  // loop in parallel on two levels, parallel levels that are not neighbours, a step that an inner level does not
  // refine.
  LoopNest(const std::vector<Loop>& loops, const LoopSchedule& schedule);

  // Runs body(const LoopRanges&) over all iterations. Serial levels outside the braces are run by the caller, each of
  // their iterations ending in a barrier.
  template <class Space = Kokkos::DefaultHostExecutionSpace, class Body>
  void run(const Body& body) const {
    LoopRanges ranges = whole_;
    run_outer<Space>(0, ranges, body);
  }

 private:
  struct Level {
    int loop;
    std::int64_t step;
  };

  KOKKOS_FUNCTION std::int64_t trips(int level, const LoopRange& range) const {
    return (range.size() + levels_[level].step - 1) / levels_[level].step;
  }
  KOKKOS_FUNCTION LoopRange slice(int level, const LoopRange& range, std::int64_t trip) const {
    const std::int64_t begin = range.begin + trip * levels_[level].step;
    const std::int64_t end = begin + levels_[level].step;
    return {begin, end < range.end ? end : range.end};
  }

  template <class Space, class Body>
  void run_outer(int level, LoopRanges& ranges, const Body& body) const {
    if (level == parallel_begin_) return run_parallel<Space>(ranges, body);
    LoopRange& range = ranges[levels_[level].loop];
    const LoopRange whole = range;
    for (std::int64_t trip = 0, n = trips(level, whole); trip < n; ++trip) {
      range = slice(level, whole, trip);
      run_outer<Space>(level + 1, ranges, body);
    }
    range = whole;
  }

  template <class Space, class Body>
  void run_parallel(const LoopRanges& outer, const Body& body) const {
    std::int64_t tasks = 1;
    for (int level = parallel_begin_; level < parallel_end_; ++level) tasks *= trips(level, outer[levels_[level].loop]);
    if (tasks == 1) return run_task(0, outer, body);
    Kokkos::parallel_for("brickwork::LoopNest",
                         Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>(
                             Space(), 0, tasks),
                         [*this, outer, body](std::int64_t task) { run_task(task, outer, body); });
  }

  template <class Body>
  KOKKOS_FUNCTION void run_task(std::int64_t task, const LoopRanges& outer, const Body& body) const {
    LoopRanges ranges = outer;
    for (int level = parallel_end_ - 1; level >= parallel_begin_; --level) {
      LoopRange& range = ranges[levels_[level].loop];
      const std::int64_t n = trips(level, range);
      range = slice(level, range, task % n);
      task /= n;
    }
    run_inner(parallel_end_, ranges, body);
  }

  template <class Body>
  KOKKOS_FUNCTION void run_inner(int level, LoopRanges& ranges, const Body& body) const {
    if (level == level_count_) return body(static_cast<const LoopRanges&>(ranges));
    LoopRange& range = ranges[levels_[level].loop];
    const LoopRange whole = range;
    const std::int64_t step = levels_[level].step;
    // The innermost level calls the body itself: one call less for each brick.
    const bool innermost = level + 1 == level_count_;
    for (std::int64_t begin = whole.begin; begin < whole.end; begin += step) {
      range = {begin, begin + step < whole.end ? begin + step : whole.end};
      if (innermost) {
        body(static_cast<const LoopRanges&>(ranges));
      } else {
        run_inner(level + 1, ranges, body);
      }
    }
    range = whole;
  }

  std::array<Level, kMaxLevels> levels_{};
  int level_count_ = 0;
  int parallel_begin_ = 0, parallel_end_ = 0;  // equal where nothing is parallel: then one task does all
  LoopRanges whole_{};
};

}  // namespace brickwork
