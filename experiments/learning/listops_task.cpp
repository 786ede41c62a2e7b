#include "experiments/learning/listops_task.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/learning/clip.hpp"
#include "experiments/learning/schedule.hpp"
#include "primitives/recursive/op/cells.hpp"
#include "primitives/softmax_loss/softmax_loss.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kListOpsMinibatch = 64, kListOpsFeatures = 128;
constexpr std::int64_t kListOpsMinibatches = 200, kListOpsTestMinibatches = 32;
constexpr double kListOpsLargestNorm = 0.3;

RecursiveShape listops_shape(ListOpsStructure structure) {
  const bool tree = structure == ListOpsStructure::tree;
  return {.cell = &cell_of(tree ? RecursiveModel::tree_lstm : RecursiveModel::lstm),
          .H = kListOpsFeatures,
          .tokens = kListOpsTokens,
          .most_children = tree ? kMostListOpsArguments : 1,
          .N = kListOpsMinibatch,
          .outputs = kListOpsDigits};
}

class ListOpsLearner final : public Learner {
 public:
  ListOpsLearner(ListOpsStructure structure, const LearningSetting& setting)
      : structure_(structure),
        schedule_{.epochs = setting.epochs, .rate = 1.0F},
        random_(setting.seed),
        data_(kListOpsTestMinibatches * kListOpsMinibatch),
        network_(listops_shape(structure), setting.brick),
        loss_({.N = kListOpsMinibatch, .C = kListOpsDigits}, {}),
        dlogits_(kListOpsMinibatch * kListOpsDigits) {
    network_.initialise(random_);
  }

  std::int64_t trained_on() const override { return kListOpsMinibatches * kListOpsMinibatch; }
  std::int64_t tested_on() const override { return kListOpsTestMinibatches * kListOpsMinibatch; }

  Epoch epoch() override {
    const int deepest = listops_deepest(done_, schedule_.epochs);
    const SgdStep step = schedule_.step(done_++);
    Epoch sum;
    std::vector<ListOpsExpression> expressions(kListOpsMinibatch);
    for (std::int64_t i = 0; i < kListOpsMinibatches; ++i) {
      for (ListOpsExpression& expression : expressions) expression = data_.draw(deepest, random_);
      const TokenForest minibatch = listops_minibatch(expressions, structure_);
      const auto values = listops_values(expressions);
      const auto logits = network_.forward(minibatch);
      sum.measure += share_right(logits, values);
      sum.loss += double{loss_.run(logits.data(), values.data(), dlogits_.data())};
      network_.backward(dlogits_.data());
      clip_by_norm(network_.gradients(), kListOpsLargestNorm);
      network_.step(step);
    }
    const auto count = static_cast<double>(kListOpsMinibatches);
    return {.loss = sum.loss / count, .measure = sum.measure / count};
  }

  double test() override {
    double sum = 0;
    for (std::size_t i = 0; i < kListOpsTestMinibatches; ++i) {
      const auto expressions = std::span(data_.test()).subspan(i * kListOpsMinibatch, kListOpsMinibatch);
      const TokenForest minibatch = listops_minibatch(expressions, structure_);
      sum += share_right(network_.forward(minibatch), listops_values(expressions));
    }
    return sum / static_cast<double>(kListOpsTestMinibatches);
  }

  double baseline() const override {
    const auto values = listops_values(data_.test());
    std::ptrdiff_t most = 0;
    for (std::int32_t digit = 0; digit < kListOpsDigits; ++digit)
      most = std::max(most, std::ranges::count(values, digit));
    return static_cast<double>(most) / static_cast<double>(values.size());
  }

 private:
  static double share_right(std::span<const float> logits, const std::vector<std::int32_t>& values) {
    int right = 0;
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto row = logits.subspan(n * kListOpsDigits, kListOpsDigits);
      right += std::ranges::max_element(row) - row.begin() == values[n];
    }
    return static_cast<double>(right) / static_cast<double>(values.size());
  }

  ListOpsStructure structure_;
  TrainingSchedule schedule_;
  int done_ = 0;  // epochs
  Random random_;
  ListOpsData data_;
  RecursiveNetwork network_;
  SoftmaxLoss loss_;
  std::vector<float> dlogits_;  // [minibatch][digits]
};

}  // namespace

int listops_deepest(int done, int epochs) {
  constexpr double kBegins[] = {0, 0.25, 0.45, 0.6, 0.7};  // when each depth comes in, as a share of all epochs
  int deepest = 0;
  for (const double begin : kBegins) deepest += done >= begin * epochs ? 1 : 0;
  return deepest;
}

LearningTask learn_listops(ListOpsStructure structure) {
  const bool tree = structure == ListOpsStructure::tree;
  return {.name = tree ? "listops-tree-lstm" : "listops-lstm",
          .about = fmt::format("{} of {} features that evaluates nested operations on digits",
                               tree ? "a TreeLSTM" : "an LSTM", kListOpsFeatures),
          .data = "",
          .examples = "expressions",
          .measure = "accuracy",
          .baseline = "always answering the commonest digit",
          .epochs = 100,
          .begin = [structure](const LearningSetting& setting) {
            return std::make_unique<ListOpsLearner>(structure, setting);
          }};
}

}  // namespace brickwork
