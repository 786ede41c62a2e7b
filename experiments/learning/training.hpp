// Training a network by stochastic gradient descent with momentum. Whatever is random comes from one std::mt19937,
// whose numbers the standard fixes, by way of no distribution and no std::shuffle, in which libraries differ.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "learning/data_set.hpp"
#include "network/network.hpp"

namespace brickwork {

struct TrainingSchedule {
  int epochs = 1;
  float rate = 0.1F;  // of the first epoch; half a cosine over the epochs takes it to 0 (arXiv 1608.03983)
  float momentum = 0.9F, decay = 0;
  std::int64_t shift = 0;  // pixels at most that an image is moved by in training, rows and columns alike
};

struct Epoch {
  double loss = 0, accuracy = 0;  // means over the images, each as the network was when it saw it
};

class Training {
 public:
  // Gives the network its weights by He et al. (arXiv 1502.01852), biases and betas of 0, gammas of 1. The data outlive
  // it. Throws std::invalid_argument with one sentence where there is less to train on than a minibatch.
  Training(Network, const LabelledImages& train, const TrainingSchedule&, std::uint32_t seed);

  // All images once, shuffled; those that are left over from the last whole minibatch are left out.
  Epoch epoch();

  // The share of images that inference labels right. The last minibatch is filled up with what is in it already, which
  // is not counted.
  double accuracy_on(const LabelledImages&);

 private:
  void initialise();
  void shuffle();
  void load(const LabelledImages&, const std::int64_t* chosen, std::int64_t count, std::int64_t shift);
  std::int64_t count_right(std::int64_t count);

  std::uint32_t below(std::uint32_t bound);  // a random number, each as likely
  float between(float least, float most);

  Network network_;
  const LabelledImages& train_;
  TrainingSchedule schedule_;
  std::mt19937 random_;
  int done_ = 0;  // epochs
  std::vector<std::int64_t> order_;
  std::vector<float> images_, logits_;  // of a minibatch
  std::vector<std::int32_t> labels_;
};

}  // namespace brickwork
