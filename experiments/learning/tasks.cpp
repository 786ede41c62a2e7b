#include "experiments/learning/tasks.hpp"

#include "experiments/learning/adding.hpp"
#include "experiments/learning/characters.hpp"
#include "experiments/learning/image_tasks.hpp"
#include "experiments/learning/listops_task.hpp"
#include "experiments/learning/plan_ranking.hpp"

namespace brickwork {

const std::vector<LearningTask>& learning_tasks() {
  static const std::vector<LearningTask> tasks = [] {
    std::vector<LearningTask> all;
    for (const ImageTask& task : image_tasks()) all.push_back(learn_images(task));
    all.push_back(learn_adding(RnnCell::lstm));
    all.push_back(learn_adding(RnnCell::rnn_tanh));
    all.push_back(learn_characters());
    all.push_back(learn_listops(ListOpsStructure::tree));
    all.push_back(learn_listops(ListOpsStructure::sequence));
    all.push_back(learn_plan_ranking());
    return all;
  }();
  return tasks;
}

}  // namespace brickwork
