// Images that are labelled, a network for them, and how it is trained.
#pragma once
#include <span>
#include <string_view>

#include "experiments/learning/data_set.hpp"
#include "experiments/learning/learning_task.hpp"
#include "experiments/learning/schedule.hpp"
#include "primitives/network/op/network_graph.hpp"

namespace brickwork {

struct ImageTask {
  std::string_view name, about;
  ImageFormat format;
  NetworkGraph (*graph)(std::int64_t N);
  std::int64_t minibatch = 32;
  TrainingSchedule schedule;
  std::int64_t shift = 0;  // pixels at most that an image is moved by in training
};

std::span<const ImageTask> image_tasks();

LearningTask learn_images(const ImageTask&);

}  // namespace brickwork
