// Stands for cuDNN's contenders in a build without cuDNN, so that their rows say why there is no number.
#pragma once
#include "baselines/contender/contender.hpp"

namespace brickwork {

template <Operation Op>
Contender<Op> without_cudnn(const char* name) {
  return {.name = name,
          .library = {.name = "cuDNN",
                      .version = {},
                      .absent = "built without cuDNN: run scripts/setup --with-cudnn on a machine with CUDA's and "
                                "cuDNN's headers, and configure again"},
          .device = "cuda"};
}

}  // namespace brickwork
