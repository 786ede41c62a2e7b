// PyTorch in a process of its own: what it is linked to, a oneDNN and an MKL of its own among it, would meet the other
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
