// PyTorch on whole networks, in a process of its own: what it is linked to, a oneDNN and an MKL of its own among it,
// would meet the other baselines' libraries.
#pragma once
#include "measured_elsewhere.hpp"
#include "network_ops.hpp"

namespace brickwork {

template <class Problem>
Contender<NetworkTrainingOp<Problem>> pytorch_network() {
  return measured_elsewhere<NetworkTrainingOp<Problem>>(
      "pytorch", "PyTorch", "PyTorch", "--with-pytorch (1.2 GB)",
      {.program = "brickwork-pytorch", .contender = "pytorch", .own_threads = false});
}

}  // namespace brickwork
