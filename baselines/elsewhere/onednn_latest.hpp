// The newest oneDNN, in a process of its own, because its package brings the threads of SYCL and TBB. (A newer oneDNN
// for OpenMP needs no such process: put it on CMAKE_PREFIX_PATH, and it replaces 3.2.)
#pragma once
#include "baselines/elsewhere/measured_elsewhere.hpp"

namespace brickwork {

// `contender` as that program calls it: our baselines, compiled with the newest oneDNN.
template <Operation Op>
Contender<Op> onednn_latest(std::string name, const Contender<Op>& contender) {
  return measured_elsewhere<Op>(std::move(name), "oneDNN", "the newest oneDNN", "--with-onednn-latest (2 GB)",
                                {.program = "brickwork-onednn-latest", .contender = contender.name});
}

}  // namespace brickwork
