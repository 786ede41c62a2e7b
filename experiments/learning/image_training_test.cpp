#include "experiments/learning/image_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "experiments/learning/image_tasks.hpp"
#include "primitives/nest/testing/on_one_thread.hpp"
#include "primitives/network/op/mlp_problem.hpp"

namespace brickwork {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr ImageFormat kStripes{.C = 1, .H = 4, .W = 4, .classes = 4};

// Noise with one bright row, whose index is the class.
LabelledImages stripes(std::int64_t N, std::uint32_t seed) {
  std::mt19937 random(seed);
  LabelledImages images{.format = kStripes};
  for (std::int64_t n = 0; n < N; ++n) {
    const auto label = static_cast<std::int32_t>(random() % 4);
    images.labels.push_back(label);
    for (std::int32_t i = 0; i < 16; ++i) {
      const float noise = 0.5F * static_cast<float>(random() >> 8) * 0x1p-24F;
      images.pixels.push_back(noise + (i / 4 == label ? 0.5F : 0.0F));
    }
  }
  return images;
}

NetworkGraph conv_graph(std::int64_t N) {
  NetworkGraph graph{.images = {N, 1, 4, 4}, .layers = {}};
  graph.layers.push_back(
      {ConvProblem{.name = "conv", .N = N, .C = 1, .K = 6, .H = 4, .W = 4, .R = 3, .S = 3, .pad_h = 1, .pad_w = 1},
       kImages});
  graph.layers.push_back(
      {BatchNormProblem{.name = "norm", .N = N, .C = 6, .H = 4, .W = 4, .epilogue = NormEpilogue::relu}, 0});
  graph.layers.push_back({FcProblem{.name = "fc", .N = N, .C = 96, .K = 4, .epilogue = {.bias = true}}, 1});
  return graph;
}

constexpr TrainingSchedule kSchedule{.epochs = 12, .rate = 0.05F};

ImageTraining make_training(const NetworkGraph& graph, const LabelledImages& train,
                            const TrainingSchedule& schedule = kSchedule, std::uint32_t seed = 1,
                            std::int64_t shift = 0) {
  return {*Network::make(graph, {.machine = {.threads = 2}}), train, schedule, shift, seed};
}

std::vector<double> losses(ImageTraining& training, int epochs) {
  std::vector<double> found;
  for (int i = 0; i < epochs; ++i) found.push_back(training.epoch().loss);
  return found;
}

class LearningStripes : public testing::TestWithParam<NetworkGraph> {};

// 203 and 50 images are no multiples of the minibatch.
TEST_P(LearningStripes, LabelsThatFollowFromTheImagesAreLearned) {
  const LabelledImages train = stripes(203, 1), test = stripes(50, 2);
  ImageTraining training = make_training(GetParam(), train);
  EXPECT_LT(training.accuracy_on(test), 0.6);
  const auto found = losses(training, kSchedule.epochs);
  EXPECT_LT(found.back(), 0.2 * found.front());
  EXPECT_GE(training.accuracy_on(test), 0.96);
  EXPECT_GE(training.epoch().measure, 0.98);
}

// With random labels there is nothing to learn: this shows that the accuracy above comes from the images.
TEST_P(LearningStripes, RandomLabelsAreNotLearned) {
  LabelledImages train = stripes(203, 1);
  const LabelledImages test = stripes(50, 2);
  std::mt19937 random(3);
  for (auto& label : train.labels) label = static_cast<std::int32_t>(random() % 4);
  ImageTraining training = make_training(GetParam(), train);
  losses(training, kSchedule.epochs);
  EXPECT_LT(training.accuracy_on(test), 0.6);
}

TEST_P(LearningStripes, ResultsAreTheSameOnAnyNumberOfThreads) {
  const LabelledImages train = stripes(64, 1);
  ImageTraining one = make_training(GetParam(), train), all = make_training(GetParam(), train);
  std::vector<double> curve;
  on_one_thread([&] { curve = losses(one, 3); });
  EXPECT_THAT(losses(all, 3), ElementsAreArray(curve));
}

TEST_P(LearningStripes, TheSameSeedRepeatsACurveAndAnotherSeedDoesNot) {
  const LabelledImages train = stripes(64, 1);
  ImageTraining one = make_training(GetParam(), train), same = make_training(GetParam(), train);
  ImageTraining other = make_training(GetParam(), train, kSchedule, 2);
  const auto curve = losses(one, 3);
  EXPECT_THAT(losses(same, 3), ElementsAreArray(curve));
  EXPECT_NE(losses(other, 3), curve);
}

// 37 images: the last of three minibatches is filled up with eleven copies, which must not count.
TEST_P(LearningStripes, EveryTestImageCountsOnce) {
  const LabelledImages train = stripes(160, 1);
  LabelledImages test = stripes(37, 5);
  for (std::size_t n = 0; n < test.labels.size(); n += 2) test.labels[n] = (test.labels[n] + 1) % 4;  // wrong ones
  ImageTraining training = make_training(GetParam(), train);
  losses(training, 1);
  double right = 0;
  for (std::int64_t n = 0; n < test.N(); ++n) {
    right += training.accuracy_on({.format = kStripes,
                                   .pixels = {test.image(n), test.image(n) + 16},
                                   .labels = {test.labels[static_cast<std::size_t>(n)]}});
  }
  EXPECT_GT(right, 0);
  EXPECT_LT(right, 37);
  EXPECT_DOUBLE_EQ(training.accuracy_on(test), right / 37);
}

INSTANTIATE_TEST_SUITE_P(Small, LearningStripes, testing::Values(mlp_graph(16, {16, 12, 4}), conv_graph(16)),
                         [](const auto& tested) { return tested.index == 0 ? "mlp" : "conv"; });

TEST(ImageTraining, LessThanAMinibatchIsRefused) {
  const LabelledImages train = stripes(15, 1);
  EXPECT_THAT(
      [&] {
        make_training(mlp_graph(16, {16, 4}), train);
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("there are 15 images to train on, but a minibatch needs 16")));
}

// An epoch leaves out four of the twenty images. With a rate of 0, the loss depends only on which four.
TEST(ImageTraining, EveryEpochShufflesTheImagesAnew) {
  const LabelledImages train = stripes(20, 1);
  ImageTraining training = make_training(mlp_graph(16, {16, 4}), train, {.epochs = 3, .rate = 0});
  const auto found = losses(training, 3);
  EXPECT_NE(found[0], found[1]);
  EXPECT_NE(found[1], found[2]);
}

// All images are alike and the gradient hardly changes, so the loss falls in proportion to the rate.
TEST(ImageTraining, TheRateFallsByHalfACosine) {
  LabelledImages train{.format = kStripes};
  train.labels.assign(16, 1);
  train.pixels.assign(16 * 16, 0.5F);
  ImageTraining training = make_training(mlp_graph(16, {16, 4}), train, {.epochs = 4, .rate = 1e-3F, .momentum = 0});
  const auto found = losses(training, 5);
  const double first = found[0] - found[1];
  EXPECT_GT(first, 0);
  const double shares[] = {1, 0.8536, 0.5, 0.1464};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR((found[i] - found[i + 1]) / first, shares[i], 0.01) << i;
}

// A network classifies moved images only if it has seen moved images in training.
TEST(ImageTraining, ShiftsMoveImages) {
  LabelledImages train{.format = kStripes}, moved{.format = kStripes};
  for (int n = 0; n < 64; ++n) {
    train.labels.push_back(n % 2);
    for (int i = 0; i < 16; ++i) train.pixels.push_back(i == (n % 2 == 0 ? 4 : 11) ? 1.0F : 0.0F);
  }
  moved.labels = {0, 0, 1, 1};
  moved.pixels.assign(64, 0);
  for (const int place : {0, 16 + 9, 32 + 6, 48 + 15}) moved.pixels[static_cast<std::size_t>(place)] = 1;
  for (const std::int64_t shift : {0, 1}) {
    ImageTraining training = make_training(mlp_graph(16, {16, 2}), train, {.epochs = 40, .rate = 0.1F}, 1, shift);
    losses(training, 40);
    EXPECT_EQ(training.accuracy_on(train), 1);
    EXPECT_EQ(training.accuracy_on(moved) == 1, shift == 1);
  }
}

// Statistics of the test images themselves would hide that they are a hundred times darker than the training images.
TEST(ImageTraining, InferenceUsesTheStatisticsOfTraining) {
  const LabelledImages train = stripes(160, 1);
  LabelledImages dark = stripes(64, 2);
  ImageTraining training = make_training(conv_graph(16), train);
  losses(training, kSchedule.epochs);
  EXPECT_GE(training.accuracy_on(dark), 0.96);
  for (float& pixel : dark.pixels) pixel /= 100;
  EXPECT_LT(training.accuracy_on(dark), 0.6);
}

TEST(ImageTasks, TheNetworkOfEveryTaskFitsItsImages) {
  for (const ImageTask& task : image_tasks()) {
    const NetworkGraph graph = task.graph(task.minibatch);
    EXPECT_EQ(graph.classes(), task.format.classes) << task.name;
    EXPECT_EQ(graph.images.size(), task.minibatch * task.format.pixels()) << task.name;
    EXPECT_TRUE(Network::make(graph, {})) << task.name;
  }
}

}  // namespace
}  // namespace brickwork
