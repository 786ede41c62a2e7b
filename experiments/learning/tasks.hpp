// What can be learned: a data set's images, a network for them, and how it is trained.
#pragma once
#include <span>
#include <string_view>

#include "learning/data_set.hpp"
#include "learning/training.hpp"

namespace brickwork {

struct LearningTask {
  std::string_view name, about;
  ImageFormat format;
  NetworkGraph (*graph)(std::int64_t N);
  std::int64_t minibatch = 32;
  TrainingSchedule schedule;
};

std::span<const LearningTask> learning_tasks();

}  // namespace brickwork
