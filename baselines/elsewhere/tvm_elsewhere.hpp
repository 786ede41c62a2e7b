// TVM's MetaSchedule, in a process of its own, because TVM has threads of its own.
#pragma once
#include "baselines/elsewhere/measured_elsewhere.hpp"

namespace brickwork {

// Runs only if it is named: it tunes each problem for minutes.
template <Operation Op>
Contender<Op> tvm_elsewhere() {
  auto contender = measured_elsewhere<Op>("tvm-metaschedule", "TVM", "TVM", "--with-tvm (550 MB)",
                                          {.program = "brickwork-tvm", .contender = "tvm-metaschedule"});
  contender.slow = true;
  return contender;
}

}  // namespace brickwork
