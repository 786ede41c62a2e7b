// PyTorch, in a process of its own, because it brings its own oneDNN and MKL, which would conflict with the other
// baselines' libraries.
#pragma once
#include "baselines/elsewhere/measured_elsewhere.hpp"

namespace brickwork {

template <Operation Op>
Contender<Op> pytorch_elsewhere() {
  return measured_elsewhere<Op>("pytorch", "PyTorch", "PyTorch", "--with-pytorch (1.2 GB)",
                                {.program = "brickwork-pytorch", .contender = "pytorch", .own_threads = false});
}

}  // namespace brickwork
