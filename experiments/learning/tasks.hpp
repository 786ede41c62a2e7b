// All tasks of the program learn.
#pragma once
#include <vector>

#include "experiments/learning/learning_task.hpp"

namespace brickwork {

const std::vector<LearningTask>& learning_tasks();

}  // namespace brickwork
