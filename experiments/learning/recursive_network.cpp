#include "experiments/learning/recursive_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "primitives/sgd/sgd.hpp"

namespace brickwork {
namespace {

constexpr float kLargestInTable = 1.5F;

Recursive make_recursive(const RecursiveShape& shape, const NetworkBrick& brick) {
  auto made = Recursive::make(
      {.cell = shape.cell, .H = shape.H, .use = RecursiveUse::training, .most_children = shape.most_children},
      plan_recursive(shape.H, brick.machine), brick.backend, brick.isa, brick.tuning);
  if (!made) throw std::runtime_error(made.reason());
  return *std::move(made);
}

std::vector<float> zero_floats(std::int64_t count) { return std::vector<float>(static_cast<std::size_t>(count)); }

std::vector<const float*> pointers_to(const std::vector<std::vector<float>>& tensors) {
  std::vector<const float*> all;
  for (const auto& tensor : tensors) all.push_back(tensor.data());
  return all;
}

}  // namespace

RecursiveNetwork::RecursiveNetwork(const RecursiveShape& shape, const NetworkBrick& brick)
    : shape_(shape),
      recursive_(make_recursive(shape, brick)),
      fc_({.N = shape.N, .C = shape.H, .K = shape.outputs}, brick),
      inputs_(shape.cell->inputs().size()),
      input_gradients_(inputs_.size()),
      state_gradients_(shape.cell->states().size()),
      roots_(zero_floats(shape.N * shape.H)),
      droots_(roots_),
      outputs_(zero_floats(shape.N * shape.outputs)) {
  const std::int64_t H = shape.H;
  for (const auto& input : shape.cell->inputs()) infos_.push_back({.name = input.name, .dims = {shape.tokens, H}});
  for (const auto& weight : shape.cell->weights()) infos_.push_back({.name = weight, .dims = {H, H}});
  for (const auto& bias : shape.cell->biases()) infos_.push_back({.name = bias, .dims = {H}});
  infos_.push_back({.name = "fc.weights", .dims = {shape.outputs, H}});
  infos_.push_back({.name = "fc.bias", .dims = {shape.outputs}});
  std::int64_t count = 0;
  for (const TensorInfo& info : infos_) {
    first_.push_back(count);
    count += info.size();
  }
  for (auto* of_all : {&parameters_, &velocities_, &gradients_}) *of_all = zero_floats(count);
}

void RecursiveNetwork::initialise(Random& random) {
  const auto fill = [&](std::size_t i, float bound) {
    std::generate_n(parameters_.begin() + first_[i], infos_[i].size(), [&] { return random.between(-bound, bound); });
  };
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (i < inputs_.size()) {
      fill(i, kLargestInTable);
    } else if (infos_[i].dims.size() > 1) {
      fill(i, 1 / std::sqrt(static_cast<float>(shape_.H)));
    } else if (infos_[i].name == "b_f") {
      std::fill_n(parameters_.begin() + first_[i], infos_[i].size(), 1.0F);
    }
  }
}

std::span<const float> RecursiveNetwork::forward(const TokenForest& minibatch) {
  minibatch_ = &minibatch;
  const std::int64_t H = shape_.H;
  const std::size_t inputs = inputs_.size(), weights = shape_.cell->weights().size();
  recursive_.set_parameters(parameters_from(inputs, weights),
                            parameters_from(inputs + weights, shape_.cell->biases().size()));
  read_tables(minibatch);
  recursive_.run(minibatch.forest, pointers_to(inputs_));
  states_.resize(static_cast<std::size_t>(minibatch.forest.nodes() * H));
  recursive_.get_state(0, states_.data());
  for (std::int64_t n = 0; n < shape_.N; ++n) {
    std::copy_n(states_.data() + minibatch.roots[static_cast<std::size_t>(n)] * H, H, roots_.data() + n * H);
  }
  fc_.forward(roots_.data(), parameter(infos_.size() - 2), parameter(infos_.size() - 1), outputs_.data());
  return outputs_;
}

void RecursiveNetwork::backward(const float* doutputs) {
  const std::int64_t H = shape_.H;
  const std::size_t inputs = inputs_.size(), weights = shape_.cell->weights().size();
  fc_.backward(doutputs, droots_.data(), gradient(infos_.size() - 2), gradient(infos_.size() - 1));
  for (auto& of_state : state_gradients_) of_state.assign(states_.size(), 0.0F);
  for (std::int64_t n = 0; n < shape_.N; ++n) {
    const std::int32_t root = minibatch_->roots[static_cast<std::size_t>(n)];
    std::copy_n(droots_.data() + n * H, H, state_gradients_.front().data() + root * H);
  }
  std::vector<float*> to;
  for (auto& of_input : input_gradients_) {
    of_input.resize(states_.size());
    to.push_back(of_input.data());
  }
  recursive_.run_backward(pointers_to(inputs_), pointers_to(state_gradients_), to);
  recursive_.get_gradients(gradients_from(inputs, weights),
                           gradients_from(inputs + weights, shape_.cell->biases().size()));
  update_tables();
}

void RecursiveNetwork::read_tables(const TokenForest& minibatch) {
  const std::int64_t H = shape_.H;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    inputs_[i].resize(minibatch.tokens.size() * static_cast<std::size_t>(H));
    for (std::size_t node = 0; node < minibatch.tokens.size(); ++node) {
      std::copy_n(parameter(i) + minibatch.tokens[node] * H, H,
                  inputs_[i].begin() + static_cast<std::int64_t>(node) * H);
    }
  }
}

// A row's gradient is the sum over all nodes of its token.
void RecursiveNetwork::update_tables() {
  const std::int64_t H = shape_.H;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    std::fill_n(gradient(i), infos_[i].size(), 0.0F);
    for (std::size_t node = 0; node < minibatch_->tokens.size(); ++node) {
      float* const row = gradient(i) + minibatch_->tokens[node] * H;
      const float* const from = input_gradients_[i].data() + static_cast<std::int64_t>(node) * H;
      for (std::int64_t h = 0; h < H; ++h) row[h] += from[h];
    }
  }
}

std::vector<const float*> RecursiveNetwork::parameters_from(std::size_t first, std::size_t count) const {
  std::vector<const float*> all;
  for (std::size_t i = first; i < first + count; ++i) all.push_back(parameter(i));
  return all;
}

std::vector<float*> RecursiveNetwork::gradients_from(std::size_t first, std::size_t count) {
  std::vector<float*> all;
  for (std::size_t i = first; i < first + count; ++i) all.push_back(gradient(i));
  return all;
}

void RecursiveNetwork::step(const SgdStep& step) {
  sgd(step, {parameters_.data(), velocities_.data(), gradients_.data()}, {parameters_.data(), velocities_.data()},
      static_cast<std::int64_t>(gradients_.size()), {});
}

}  // namespace brickwork
