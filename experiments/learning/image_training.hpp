// Trains a network on labelled images by stochastic gradient descent with momentum.
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
  // Initialises the weights as He et al. (arXiv 1502.01852), biases and betas to 0, gammas to 1. `train` must outlive
  // this object. Training moves each image by up to `shift` rows and columns. Throws std::invalid_argument with one
  // sentence if `train` has fewer images than a minibatch.
  ImageTraining(Network, const LabelledImages& train, const TrainingSchedule&, std::int64_t shift, std::uint32_t seed);

  // Trains on all images once, shuffled; images beyond the last whole minibatch are left out. The measure is the share
  // of images that were labelled right.
  Epoch epoch();

  // The share of images that inference labels right. The last minibatch is filled up with copies of its own images,
  // which do not count.
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
