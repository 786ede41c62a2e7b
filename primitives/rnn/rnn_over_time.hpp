// Steps after each other, each of tasks that may run at once, and each in one half or two.
#pragma once
#include <cstdint>

#include "host_device.hpp"
#include "loop_nest.hpp"
#include "rnn/rnn_rows.hpp"

namespace brickwork {

// What a worker does at once: these tasks of some blocks of sequences, of a half of a step, steps counted as they come.
struct RnnTurn {
  std::int64_t step;
  RnnHalf half;
  LoopRange blocks, tasks;
  std::int64_t worker;
};

struct RnnTurns {
  std::int64_t steps;
  int halves;
  std::int64_t blocks, tasks_of_block;  // of sequences
  bool alone;                           // a block needs nothing of another one

  std::int64_t tasks() const { return blocks * tasks_of_block; }
  BRICKWORK_HOST_DEVICE static RnnHalf half(int i) { return i == 0 ? RnnHalf::first : RnnHalf::second; }
};

}  // namespace brickwork
