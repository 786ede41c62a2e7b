#include "experiments/learning/image_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace brickwork {

ImageTraining::ImageTraining(Network network, const LabelledImages& train, const TrainingSchedule& schedule,
                             std::int64_t shift, std::uint32_t seed)
    : network_(std::move(network)),
      train_(train),
      schedule_(schedule),
      shift_(shift),
      random_(seed),
      order_(static_cast<std::size_t>(train.N())),
      images_(static_cast<std::size_t>(network_.graph().images.size())),
      logits_(static_cast<std::size_t>(network_.graph().images.N * network_.graph().classes())),
      labels_(static_cast<std::size_t>(network_.graph().images.N)) {
  const std::int64_t minibatch = network_.graph().images.N;
  if (train.N() < minibatch) {
    throw std::invalid_argument(
        fmt::format("there are {} images to train on, but a minibatch needs {}", train.N(), minibatch));
  }
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  initialise();
}

Epoch ImageTraining::epoch() {
  const SgdStep step = schedule_.step(done_++);
  const std::int64_t minibatch = network_.graph().images.N, minibatches = train_.N() / minibatch;
  random_.shuffle(order_);
  Epoch sum;
  for (std::int64_t i = 0; i < minibatches; ++i) {
    load(train_, order_.data() + i * minibatch, minibatch, shift_);
    sum.loss += static_cast<double>(network_.forward(labels_.data()));
    sum.measure += static_cast<double>(count_right(minibatch)) / static_cast<double>(minibatch);
    network_.backward();
    network_.step(step);
  }
  const auto count = static_cast<double>(minibatches);
  return {.loss = sum.loss / count, .measure = sum.measure / count};
}

double ImageTraining::accuracy_on(const LabelledImages& test) {
  const std::int64_t minibatch = network_.graph().images.N;
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(minibatch));
  std::int64_t right = 0;
  for (std::int64_t first = 0; first < test.N(); first += minibatch) {
    const std::int64_t count = std::min(minibatch, test.N() - first);
    for (std::int64_t n = 0; n < minibatch; ++n) chosen[static_cast<std::size_t>(n)] = first + n % count;
    load(test, chosen.data(), minibatch, 0);
    network_.infer();
    right += count_right(count);
  }
  return static_cast<double>(right) / static_cast<double>(test.N());
}

void ImageTraining::initialise() {
  for (std::size_t i = 0; i < network_.parameters().size(); ++i) {
    using Role = NetworkParameter::Role;
    const auto& [info, layer, role] = network_.parameters()[i];
    std::vector<float> values(static_cast<std::size_t>(info.size()), role == Role::gamma ? 1.0F : 0.0F);
    if (role == Role::weights) {
      const std::int64_t fan_in = info.size() / info.dims.front();
      const float bound = std::sqrt(6 / static_cast<float>(fan_in));
      for (float& value : values) value = random_.between(-bound, bound);
    }
    network_.set_parameter(i, values.data());
  }
}

void ImageTraining::load(const LabelledImages& from, const std::int64_t* chosen, std::int64_t count,
                         std::int64_t shift) {
  const auto [C, H, W] = std::tuple(from.format.C, from.format.H, from.format.W);
  const auto moved = [&] {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint32_t>(2 * shift + 1))) - shift;
  };
  for (std::int64_t n = 0; n < count; ++n) {
    const float* const image = from.image(chosen[n]);
    float* const to = images_.data() + n * from.format.pixels();
    labels_[static_cast<std::size_t>(n)] = from.labels[static_cast<std::size_t>(chosen[n])];
    if (shift == 0) {
      std::copy_n(image, from.format.pixels(), to);
      continue;
    }
    const std::int64_t down = moved(), right = moved();
    for (std::int64_t c = 0; c < C; ++c) {
      for (std::int64_t h = 0; h < H; ++h) {
        for (std::int64_t w = 0; w < W; ++w) {
          const std::int64_t y = h - down, x = w - right;
          const bool inside = y >= 0 && y < H && x >= 0 && x < W;
          to[(c * H + h) * W + w] = inside ? image[(c * H + y) * W + x] : 0;
        }
      }
    }
  }
  network_.set_images(images_.data());
}

// Counts the right labels among the first `count` images of the minibatch.
std::int64_t ImageTraining::count_right(std::int64_t count) {
  network_.get_logits(logits_.data());
  const std::int64_t classes = network_.graph().classes();
  std::int64_t right = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    const float* const row = logits_.data() + n * classes;
    if (std::max_element(row, row + classes) - row == labels_[static_cast<std::size_t>(n)]) ++right;
  }
  return right;
}

}  // namespace brickwork
