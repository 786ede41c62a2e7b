// Steps after each other, each of tasks that may run at once, and each in one half or two.
#pragma once
#include <cstdint>

#include "host_device.hpp"
#include "loop_nest.hpp"
#include "rnn/rnn_rows.hpp"

namespace brickwork {

// What a worker does at once: these tasks of a half of a step, steps counted as they come.
struct RnnTurn {
  std::int64_t step;
  RnnHalf half;
  LoopRange tasks;
  std::int64_t worker;
};

struct RnnTurns {
  std::int64_t steps;
  int halves;
  std::int64_t tasks;

  BRICKWORK_HOST_DEVICE static RnnHalf half(int i) { return i == 0 ? RnnHalf::first : RnnHalf::second; }
};

template <class Body>
struct RnnTaskOfAStep {
  Body body;
  std::int64_t step;
  RnnHalf half;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    body(team, RnnTurn{step, half, {task, task + 1}, task}, scratch);
  }
};

// On any space that has a parallel_league: one for each half, whose tasks are workers, on teams of so many threads.
template <class Space, class Body>
void over_time(const Space& space, const RnnTurns& turns, int threads, std::int64_t scratch_bytes, const Body& body) {
  for (std::int64_t step = 0; step < turns.steps; ++step) {
    for (int i = 0; i < turns.halves; ++i) {
      parallel_league(space, turns.tasks, threads, scratch_bytes, RnnTaskOfAStep<Body>{body, step, RnnTurns::half(i)});
    }
  }
}

}  // namespace brickwork
