// Training a network on labelled images by stochastic gradient descent with momentum.
#pragma once
#include <cstdint>
#include <vector>

#include "experiments/learning/data_set.hpp"
#include "experiments/learning/learning_task.hpp"
#include "experiments/learning/random.hpp"
#include "experiments/learning/schedule.hpp"
#include "primitives/network/network.hpp"

namespace brickwork {

class ImageTraining {
 public:
  // Gives the network its weights by He et al. (arXiv 1502.01852), biases and betas of 0, gammas of 1. The data outlive
  // it. In training, images are moved by up to so many pixels, rows and columns alike. Throws std::invalid_argument
  // with one sentence where there is less to train on than a minibatch.
  ImageTraining(Network, const LabelledImages& train, const TrainingSchedule&, std::int64_t shift, std::uint32_t seed);

  // All images once, shuffled, and the share that was labelled right; those that are left over from the last whole
  // minibatch are left out.
  Epoch epoch();

  // The share of images that inference labels right. The last minibatch is filled up with what is in it already, which
  // is not counted.
  double accuracy_on(const LabelledImages&);

 private:
  void initialise();
  void load(const LabelledImages&, const std::int64_t* chosen, std::int64_t count, std::int64_t shift);
  std::int64_t count_right(std::int64_t count);

  Network network_;
  const LabelledImages& train_;
  TrainingSchedule schedule_;
  std::int64_t shift_;
  Random random_;
  int done_ = 0;  // epochs
  std::vector<std::int64_t> order_;
  std::vector<float> images_, logits_;  // of a minibatch
  std::vector<std::int32_t> labels_;
};

}  // namespace brickwork
