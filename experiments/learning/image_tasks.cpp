#include "experiments/learning/image_tasks.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "experiments/learning/data_file.hpp"
#include "experiments/learning/image_training.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/network_graph.hpp"

namespace brickwork {
namespace {

constexpr ImageFormat kDigits{.C = 1, .H = 8, .W = 8, .classes = 10, .white = 16};

NetworkGraph digits_mlp(std::int64_t N) { return mlp_graph(N, {kDigits.pixels(), 256, 128, kDigits.classes}); }

// Two times: two 3x3 convolutions, each with batch normalisation and ReLU, then max pooling over windows of 2x2.
NetworkGraph digits_conv(std::int64_t N) {
  NetworkGraph b{.images = {N, kDigits.C, kDigits.H, kDigits.W}};
  int x = kImages;
  for (const std::int64_t K : {32, 64}) {
    for (const char* part : {"a", "b"}) {
      const std::string place = std::to_string(K) + part;
      x = b.add_conv("conv" + place, x, K, 3);
      x = b.add_norm("norm" + place, x, NormEpilogue::relu);
    }
    x = b.add_pool("pool" + std::to_string(K), x, PoolKind::max, 2, 2);
  }
  b.add_fc("fc", x, kDigits.classes);
  return b;
}

constexpr ImageTask kTasks[] = {
    {.name = "digits-mlp",
     .about = "an MLP of widths 64, 256, 128, 10 on scikit-learn's digits",
     .format = kDigits,
     .graph = digits_mlp,
     .minibatch = 32,
     .schedule = {.epochs = 40, .rate = 0.1F, .momentum = 0.9F, .decay = 5e-4F},
     .shift = 1},
    {.name = "digits-conv",
     .about = "four 3x3 convolutions with batch normalisation on scikit-learn's digits",
     .format = kDigits,
     .graph = digits_conv,
     .minibatch = 32,
     .schedule = {.epochs = 20, .rate = 0.05F, .momentum = 0.9F, .decay = 5e-4F},
     .shift = 1},
};

Network make_network(const ImageTask& task, const NetworkBrick& brick) {
  auto network = Network::make(task.graph(task.minibatch), brick);
  if (!network) throw std::runtime_error(network.reason());
  return *std::move(network);
}

DataSet read_images(const ImageTask& task, const std::string& path) {
  std::ifstream in = open_data(path);
  return read_data_set(in, path, task.format);
}

class ImageLearner final : public Learner {
 public:
  ImageLearner(const ImageTask& task, const TrainingSchedule& schedule, const LearningSetting& setting)
      : data_(read_images(task, setting.data)),
        training_(make_network(task, setting.brick), data_.train, schedule, task.shift, setting.seed) {}

  std::int64_t trained_on() const override { return data_.train.N(); }
  std::int64_t tested_on() const override { return data_.test.N(); }
  Epoch epoch() override { return training_.epoch(); }
  double test() override { return training_.accuracy_on(data_.test); }
  double baseline() const override {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(data_.train.format.classes)), tested = counts;
    for (const auto label : data_.train.labels) ++counts[static_cast<std::size_t>(label)];
    for (const auto label : data_.test.labels) ++tested[static_cast<std::size_t>(label)];
    const auto commonest = std::ranges::max_element(counts) - counts.begin();
    return static_cast<double>(tested[static_cast<std::size_t>(commonest)]) / static_cast<double>(data_.test.N());
  }

 private:
  const DataSet data_;
  ImageTraining training_;
};

}  // namespace

std::span<const ImageTask> image_tasks() { return kTasks; }

LearningTask learn_images(const ImageTask& task) {
  return {.name = std::string(task.name),
          .about = std::string(task.about),
          .data = "images, a CSV file that scripts/export_digits.py writes",
          .examples = "images",
          .measure = "accuracy",
          .baseline = "always the label that is commonest in training",
          .epochs = task.schedule.epochs,
          .begin = [task](const LearningSetting& setting) -> LearnerPtr {
            TrainingSchedule schedule = task.schedule;
            schedule.epochs = setting.epochs;
            return std::make_unique<ImageLearner>(task, schedule, setting);
          }};
}

}  // namespace brickwork
