// The tasks that classify images: the format of the images, the network and how it is trained.
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
  std::int64_t shift = 0;  // training moves an image by at most this many rows and columns
};

std::span<const ImageTask> image_tasks();

LearningTask learn_images(const ImageTask&);

}  // namespace brickwork
