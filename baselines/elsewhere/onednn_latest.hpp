// The newest oneDNN, in a process of its own: the package that there is of it brings the threads of SYCL and TBB. (A
// newer oneDNN for OpenMP needs no such thing: on CMAKE_PREFIX_PATH it takes the place of 3.2.)
#pragma once
#include "baselines/elsewhere/measured_elsewhere.hpp"

namespace brickwork {

// `contender` as that program calls it: our baselines, compiled against the newest oneDNN.
template <Operation Op>
Contender<Op> onednn_latest(std::string name, const Contender<Op>& contender) {
  return measured_elsewhere<Op>(std::move(name), "oneDNN", "the newest oneDNN", "--with-onednn-latest (2 GB)",
                                {.program = "brickwork-onednn-latest", .contender = contender.name});
}

}  // namespace brickwork
