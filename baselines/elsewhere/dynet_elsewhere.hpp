// DyNet, in a process of its own, because it is called from Python.
#pragma once
#include "baselines/elsewhere/measured_elsewhere.hpp"

namespace brickwork {

template <Operation Op>
Contender<Op> dynet_elsewhere() {
  return measured_elsewhere<Op>("dynet", "DyNet", "DyNet", "--with-dynet (25 MB)",
                                {.program = "brickwork-dynet", .contender = "dynet", .own_threads = false});
}

}  // namespace brickwork
