#include "experiments/learning/recurrent_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "primitives/rnn/op/rnn_ops.hpp"
#include "primitives/sgd/sgd.hpp"

namespace brickwork {
namespace {

Rnn make_rnn(const RnnProblem& p, const NetworkBrick& brick) {
  auto made = Rnn::make({p, RnnUse::training}, plan_rnn(p, brick.machine), brick.backend, brick.isa, brick.tuning);
  if (!made) throw std::runtime_error(made.reason());
  return *std::move(made);
}

std::vector<float> zeros(std::int64_t count) { return std::vector<float>(static_cast<std::size_t>(count)); }

}  // namespace

RecurrentNetwork::RecurrentNetwork(const RecurrentShape& shape, const NetworkBrick& brick)
    : shape_(shape),
      rnn_(make_rnn(shape.rnn, brick)),
      fc_({.N = shape.rows(), .C = shape.rnn.K, .K = shape.outputs}, brick),
      infos_(rnn_ops::weights(shape.rnn)) {
  const RnnProblem& p = shape_.rnn;
  infos_.push_back({.name = "fc.weights", .dims = {shape.outputs, p.K}});
  infos_.push_back({.name = "fc.bias", .dims = {shape.outputs}});
  std::int64_t count = 0;
  for (const TensorInfo& info : infos_) {
    first_.push_back(count);
    count += info.size();
  }
  for (auto* of_all : {&parameters_, &velocities_, &gradients_}) *of_all = zeros(count);
  for (auto* states : {&h_, &c_, &dh_, &dc_}) *states = zeros(p.L * p.N * p.K);
  for (auto* over_time : {&y_, &dy_}) *over_time = zeros(p.T * p.N * p.K);
  read_ = zeros(shape.rows() * p.K);
  outputs_ = zeros(shape.rows() * shape.outputs);
}

void RecurrentNetwork::initialise(Random& random, Memory memory) {
  const std::int64_t K = shape_.rnn.K;
  const float bound = 1 / std::sqrt(static_cast<float>(K));
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (is_bias(i)) continue;
    std::generate_n(parameters_.begin() + first_[i], infos_[i].size(), [&] { return random.between(-bound, bound); });
  }
  if (shape_.rnn.cell != RnnCell::lstm) return;
  const auto longest = static_cast<float>(std::max<std::int64_t>(2, shape_.rnn.T - 1));
  for (std::int64_t l = 0; l < shape_.rnn.L; ++l) {
    float* const bias = parameters_.data() + first_[static_cast<std::size_t>(3 * l + 2)];  // of the gates i, f, g, o
    for (std::int64_t k = 0; k < K; ++k) {
      bias[K + k] = memory == Memory::short_at_first ? 1 : std::log(random.between(1, longest));
      bias[k] = memory == Memory::short_at_first ? 0 : -bias[K + k];
    }
  }
}

std::span<const float> RecurrentNetwork::forward(const float* x, States states) {
  const RnnProblem& p = shape_.rnn;
  for (std::int64_t l = 0; l < p.L; ++l) {
    const auto i = static_cast<std::size_t>(3 * l);
    rnn_.set_weights(l, parameter(i), parameter(i + 1), parameter(i + 2));
  }
  if (states == States::begin) {
    std::ranges::fill(h_, 0.0F);
    std::ranges::fill(c_, 0.0F);
  }
  rnn_.set_states(h_.data(), c_.data());
  rnn_.set_x(x);
  rnn_.run();
  rnn_.get_states(h_.data(), c_.data());
  if (shape_.reads == RecurrentShape::Reads::every_step) {
    rnn_.get_y(y_.data());
    read_ = y_;
  } else {
    read_.assign(h_.end() - p.N * p.K, h_.end());
  }
  fc_.forward(read_.data(), parameter(infos_.size() - 2), parameter(infos_.size() - 1), outputs_.data());
  return outputs_;
}

void RecurrentNetwork::backward(const float* doutputs) {
  const bool every_step = shape_.reads == RecurrentShape::Reads::every_step;
  float* const dread = every_step ? dy_.data() : dh_.data() + (shape_.rnn.L - 1) * shape_.rnn.N * shape_.rnn.K;
  fc_.backward(doutputs, dread, gradient(infos_.size() - 2), gradient(infos_.size() - 1));
  rnn_.set_gradients(dy_.data(), dh_.data(), dc_.data());
  rnn_.run_backward_data();
  rnn_.run_weight_update();
  for (std::int64_t l = 0; l < shape_.rnn.L; ++l) {
    const auto i = static_cast<std::size_t>(3 * l);
    rnn_.get_weight_gradients(l, gradient(i), gradient(i + 1), gradient(i + 2));
  }
}

void RecurrentNetwork::step(const SgdStep& step) {
  sgd(step, {parameters_.data(), velocities_.data(), gradients_.data()}, {parameters_.data(), velocities_.data()},
      static_cast<std::int64_t>(gradients_.size()), {});
}

}  // namespace brickwork
