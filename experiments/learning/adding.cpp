#include "experiments/learning/adding.hpp"

#include <fmt/format.h>

#include "experiments/learning/clip.hpp"
#include "experiments/learning/recurrent_network.hpp"
#include "experiments/learning/schedule.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kSteps = 50, kMinibatch = 32, kState = 64;
constexpr std::int64_t kMinibatches = 200, kTestMinibatches = 32;
constexpr std::uint32_t kTestSeed = 0;  // for the test sequences alone: training never sees them
constexpr double kLargestNorm = 0.1;

class AddingLearner final : public Learner {
 public:
  AddingLearner(RnnCell cell, const LearningSetting& setting)
      : schedule_{.epochs = setting.epochs, .rate = 0.3F},
        random_(setting.seed),
        network_({.rnn = {.T = kSteps, .N = kMinibatch, .C = 2, .K = kState, .cell = cell}}, setting.brick),
        derror_(kMinibatch) {
    Random of_test(kTestSeed);
    for (std::int64_t i = 0; i < kTestMinibatches; ++i) test_.push_back(make_adding(kSteps, kMinibatch, of_test));
    network_.initialise(random_, RecurrentNetwork::Memory::over_all_steps);
  }

  std::int64_t trained_on() const override { return kMinibatches * kMinibatch; }
  std::int64_t tested_on() const override { return kTestMinibatches * kMinibatch; }

  Epoch epoch() override {
    const SgdStep step = schedule_.step(done_++);
    double sum = 0;
    for (std::int64_t i = 0; i < kMinibatches; ++i) {
      const AddingSequences sequences = make_adding(kSteps, kMinibatch, random_);
      sum += error_on(sequences);
      network_.backward(derror_.data());
      clip_by_norm(network_.gradients(), kLargestNorm);
      network_.step(step);
    }
    const double mean = sum / static_cast<double>(kMinibatches);
    return {.loss = mean, .measure = mean};
  }

  double test() override {
    double sum = 0;
    for (const AddingSequences& sequences : test_) sum += error_on(sequences);
    return sum / static_cast<double>(kTestMinibatches);
  }

  double baseline() const override {
    const std::vector<float> ones(kMinibatch, 1.0F);
    std::vector<float> unused(kMinibatch);
    double sum = 0;
    for (const AddingSequences& sequences : test_) sum += squared_error(ones.data(), sequences.sums, unused.data());
    return sum / static_cast<double>(kTestMinibatches);
  }

 private:
  double error_on(const AddingSequences& sequences) {
    return squared_error(network_.forward(sequences.x.data()).data(), sequences.sums, derror_.data());
  }

  TrainingSchedule schedule_;
  int done_ = 0;  // epochs
  Random random_;
  RecurrentNetwork network_;
  std::vector<AddingSequences> test_;
  std::vector<float> derror_;
};

}  // namespace

AddingSequences make_adding(std::int64_t T, std::int64_t N, Random& random) {
  AddingSequences made{.x = std::vector<float>(static_cast<std::size_t>(T * N * 2)),
                       .sums = std::vector<float>(static_cast<std::size_t>(N))};
  const auto at = [&](std::int64_t t, std::int64_t n) { return made.x.data() + (t * N + n) * 2; };
  for (std::int64_t n = 0; n < N; ++n) {
    for (std::int64_t t = 0; t < T; ++t) *at(t, n) = random.between(0, 1);
    const std::int64_t half = T / 2;
    const std::int64_t first = random.below(static_cast<std::uint32_t>(half));
    const std::int64_t second = half + random.below(static_cast<std::uint32_t>(T - half));
    for (const std::int64_t t : {first, second}) {
      at(t, n)[1] = 1;
      made.sums[static_cast<std::size_t>(n)] += *at(t, n);
    }
  }
  return made;
}

double squared_error(const float* outputs, const std::vector<float>& sums, float* doutputs) {
  const auto count = static_cast<float>(sums.size());
  double squares = 0;
  for (std::size_t n = 0; n < sums.size(); ++n) {
    const float off = outputs[n] - sums[n];
    squares += double{off} * double{off};
    doutputs[n] = 2 * off / count;
  }
  return squares / double{count};
}

LearningTask learn_adding(RnnCell cell) {
  const bool lstm = cell == RnnCell::lstm;
  return {.name = lstm ? "adding-lstm" : "adding-rnn",
          .about = fmt::format("{} of {} features that adds the two marked ones of {} numbers",
                               lstm ? "an LSTM" : "a plain tanh network", kState, kSteps),
          .data = "",
          .examples = "sequences",
          .measure = "mean squared error",
          .baseline = "always answering 1",
          .epochs = 12,
          .begin = [cell](const LearningSetting& setting) { return std::make_unique<AddingLearner>(cell, setting); }};
}

}  // namespace brickwork
