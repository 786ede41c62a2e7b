// PyTorch, in a process of its own, because it brings its own oneDNN and MKL, which would conflict with the other
// baselines' libraries.
#pragma once
#include "baselines/elsewhere/measured_elsewhere.hpp"

namespace brickwork {

// `name` is the contender's name there, too.
template <Operation Op>
Contender<Op> pytorch_elsewhere(std::string name = "pytorch") {
  return measured_elsewhere<Op>(name, "PyTorch", "PyTorch", "--with-pytorch (1.2 GB)",
                                {.program = "brickwork-pytorch", .contender = name, .own_threads = false});
}

}  // namespace brickwork
