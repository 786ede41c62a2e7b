// Learning rate, momentum and weight decay of each epoch.
#pragma once
#include <cmath>
#include <numbers>

#include "primitives/sgd/op/sgd_op.hpp"

namespace brickwork {

struct TrainingSchedule {
  int epochs = 1;
  float rate = 0.1F;  // in the first epoch; it falls to 0 along half a cosine over all epochs (arXiv 1608.03983)
  float momentum = 0.9F, decay = 0;

  // The step after `done` epochs.
  SgdStep step(int done) const {
    const float turn = std::numbers::pi_v<float> * static_cast<float>(done) / static_cast<float>(epochs);
    return {.rate = rate * (1 + std::cos(turn)) / 2, .momentum = momentum, .decay = decay};
  }
};

}  // namespace brickwork
