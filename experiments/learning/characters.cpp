#include "experiments/learning/characters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <stdexcept>

#include "experiments/learning/clip.hpp"
#include "experiments/learning/data_file.hpp"
#include "experiments/learning/recurrent_network.hpp"
#include "experiments/learning/schedule.hpp"
#include "primitives/softmax_loss/softmax_loss.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kWindow = 32, kStreams = 32, kFeatures = 128;
constexpr double kNorm = 1;

using Part = TextStreams::Part;

std::string read_text(const std::string& path) {
  std::ifstream in = open_data(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CharactersLearner final : public Learner {
 public:
  explicit CharactersLearner(const LearningSetting& setting)
      : schedule_{.epochs = setting.epochs, .rate = 2.0F},
        streams_(read_text(setting.data), kStreams, kWindow),
        network_({.rnn = {.T = kWindow, .N = kStreams, .C = streams_.classes(), .K = kFeatures},
                  .outputs = streams_.classes(),
                  .reads = RecurrentShape::Reads::every_step},
                 setting.brick),
        loss_({.N = kWindow * kStreams, .C = streams_.classes()}, {}),
        characters_(kWindow * kStreams),
        next_(characters_.size()),
        x_(characters_.size() * static_cast<std::size_t>(streams_.classes())),
        dlogits_(x_.size()) {
    Random random(setting.seed);
    network_.initialise(random, RecurrentNetwork::Memory::short_at_first);
  }

  std::int64_t trained_on() const override { return count(Part::train); }
  std::int64_t tested_on() const override { return count(Part::test); }

  Epoch epoch() override {
    const SgdStep step = schedule_.step(done_++);
    const double loss = mean_loss(Part::train, [&] {
      network_.backward(dlogits_.data());
      clip_by_norm(network_.gradients(), kNorm);
      network_.step(step);
    });
    return {.loss = loss, .measure = loss / std::numbers::ln2};
  }

  double test() override {
    return mean_loss(Part::test, [] {}) / std::numbers::ln2;
  }

  double baseline() const override { return bits_of_bigrams(streams_, kWindow); }

 private:
  std::int64_t count(Part part) const { return streams_.windows(part) * kWindow * kStreams; }

  template <class Behind>
  double mean_loss(Part part, const Behind& behind_each) {
    using States = RecurrentNetwork::States;
    double sum = 0;
    for (std::int64_t i = 0; i < streams_.windows(part); ++i) {
      streams_.window(part, i, characters_.data(), next_.data());
      std::ranges::fill(x_, 0.0F);
      for (std::size_t row = 0; row < characters_.size(); ++row) {
        x_[row * static_cast<std::size_t>(streams_.classes()) + static_cast<std::size_t>(characters_[row])] = 1;
      }
      const auto logits = network_.forward(x_.data(), i == 0 ? States::begin : States::carry_on);
      sum += double{loss_.run(logits.data(), next_.data(), dlogits_.data())};
      behind_each();
    }
    return sum / static_cast<double>(streams_.windows(part));
  }

  TrainingSchedule schedule_;
  int done_ = 0;  // epochs
  TextStreams streams_;
  RecurrentNetwork network_;
  SoftmaxLoss loss_;
  std::vector<std::int32_t> characters_, next_;  // [T][N]
  std::vector<float> x_, dlogits_;               // [T][N][classes]
};

}  // namespace

TextStreams::TextStreams(std::string_view text, std::int64_t N, std::int64_t T)
    : N_(N), T_(T), length_(static_cast<std::int64_t>(text.size()) / N), trained_(length_ - length_ / 10), classes_(0) {
  if (windows(Part::test) < 1) {
    throw std::invalid_argument(
        fmt::format("the text has {} characters, but {} streams with a tenth of each for the test need at least {}",
                    text.size(), N, 10 * (T + 1) * N));
  }
  std::array<std::int32_t, 256> numbers{};
  numbers.fill(-1);
  for (const char letter : text.substr(0, static_cast<std::size_t>(N * length_))) {
    std::int32_t& number = numbers[static_cast<unsigned char>(letter)];
    if (number < 0) number = static_cast<std::int32_t>(classes_++);
    text_.push_back(number);
  }
}

std::int64_t TextStreams::windows(Part part) const { return (length(part) - 1) / T_; }

void TextStreams::window(Part part, std::int64_t index, std::int32_t* characters, std::int32_t* next) const {
  for (std::int64_t t = 0; t < T_; ++t) {
    for (std::int64_t n = 0; n < N_; ++n) {
      const auto at = static_cast<std::size_t>(n * length_ + begin(part) + index * T_ + t);
      *characters++ = text_[at];
      *next++ = text_[at + 1];
    }
  }
}

double bits_of_bigrams(const TextStreams& streams, std::int64_t T) {
  const auto classes = static_cast<std::size_t>(streams.classes());
  const auto rows = static_cast<std::size_t>(T * streams.N());
  std::vector<std::int32_t> characters(rows), next(rows);
  const auto for_each_pair = [&](Part part, const auto& take) {
    for (std::int64_t i = 0; i < streams.windows(part); ++i) {
      streams.window(part, i, characters.data(), next.data());
      for (std::size_t row = 0; row < rows; ++row) {
        take(static_cast<std::size_t>(characters[row]), static_cast<std::size_t>(next[row]));
      }
    }
  };
  std::vector<double> pairs(classes * classes), followers(classes), different(classes), alone(classes, 1.0);
  double all = static_cast<double>(classes);  // each character counts once more than it occurs
  for_each_pair(Part::train, [&](std::size_t a, std::size_t b) {
    if (pairs[a * classes + b]++ == 0) ++different[a];
    ++followers[a];
    ++alone[b];
    ++all;
  });
  double bits = 0, tested = 0;
  for_each_pair(Part::test, [&](std::size_t a, std::size_t b) {
    const double anywhere = alone[b] / all, known = followers[a] + different[a];
    bits -= std::log2(known == 0 ? anywhere : (pairs[a * classes + b] + different[a] * anywhere) / known);
    ++tested;
  });
  return bits / tested;
}

LearningTask learn_characters() {
  return {.name = "characters",
          .about = fmt::format("an LSTM of {} features that predicts the next character of a text", kFeatures),
          .data = "a text",
          .examples = "characters",
          .measure = "bits a character",
          .baseline = "a model of pairs of characters",
          .epochs = 5,
          .begin = [](const LearningSetting& setting) { return std::make_unique<CharactersLearner>(setting); }};
}

}  // namespace brickwork
