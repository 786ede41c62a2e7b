#include "primitives/rnn/rnn.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brickwork {

Rnn::Rnn(const RnnProblem& p, const RnnPlan& plan, const RnnTarget& target)
    : problem_(p),
      plan_(plan),
      x_steps_{.size = p.C, .block = plan.bc, .slots = p.T, .N = p.N},
      y_steps_{.parts = p.D(), .size = p.K, .block = plan.bh, .slots = p.T + 2, .N = p.N},
      x_(x_steps_.elements(), target),
      lengths_there_(p.N, target) {
  for (std::int64_t l = 0; l < p.L; ++l) y_.emplace_back(y_steps_.elements(), target);
}

Result<Rnn> Rnn::make(const RnnWork& work, const RnnPlan& plan, const RnnTarget& target) {
  const RnnProblem& p = work.problem;
  if (const std::string what = misfit(p, plan); !what.empty()) {
    return Result<Rnn>::misfit(fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(p), what));
  }
  Rnn rnn(p, plan, target);
  for (std::int64_t l = 0; l < p.L; ++l) {
    for (std::int64_t d = 0; d < p.D(); ++d) {
      auto directed = RnnDirectedLayer::make({.cell = p.cell,
                                              .reversed = p.reversed(d),
                                              .T = p.T,
                                              .x = l == 0 ? rnn.x_steps_ : rnn.y_steps_,
                                              .y = rnn.y_steps_,
                                              .first = l == 0 ? 0 : 1,
                                              .part = d},
                                             plan, work.use, target);
      if (!directed) return {directed.status(), directed.reason()};
      rnn.layers_.push_back(*std::move(directed));
    }
    if (work.use == RnnUse::training) rnn.dy_.emplace_back(rnn.y_steps_.elements(), target);
  }
  if (work.use == RnnUse::training) rnn.dx_ = {rnn.x_steps_.elements(), target};
  return rnn;
}

void Rnn::set_x(const float* x) {
  pack_steps(x_steps_, 0, problem_.T, x, x_.host());
  clear_x_beyond_ends();
  x_.send();
}

// Values after a sequence's end would meet gradients of 0 in the weight update, and 0 * NaN is NaN.
void Rnn::clear_x_beyond_ends() {
  for_each_beyond_end([&](std::int64_t n, std::int64_t t) {
    for (std::int64_t c = 0; c < problem_.C; ++c) x_.host()[x_steps_.at(0, c, t, n)] = 0;
  });
}

void Rnn::set_states(const float* h0, const float* c0) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    TargetArray<float>& y = y_[layer(i)];
    layers_[i].set_states(h0 + state(i), y.host(), problem_.has_c() ? c0 + state(i) : nullptr);
    y.send();
  }
}

void Rnn::set_lengths(const std::int32_t* lengths) {
  lengths_.clear();
  if (lengths == nullptr) return;
  const std::span<const std::int32_t> given(lengths, static_cast<std::size_t>(problem_.N));
  check_lengths(problem_, given);
  lengths_.assign(given.begin(), given.end());
  std::ranges::copy(lengths_, lengths_there_.host());
  lengths_there_.send();
  clear_x_beyond_ends();
  x_.send();
}

void Rnn::set_weights(std::int64_t layer, const float* weights_layer, const float* weights_iter, const float* bias) {
  for (std::int64_t d = 0; d < problem_.D(); ++d) directed(layer, d).set_weights(weights_layer, weights_iter, bias);
}

void Rnn::run() {
  for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].run(x_of(layer(i)), y_[layer(i)].data(), lengths());
}

void Rnn::get_y(float* y) const {
  unpack_steps(y_steps_, 1, problem_.T, y_.back().fetched(), y);
  const std::int64_t row = problem_.D() * problem_.K;
  for_each_beyond_end([&](std::int64_t n, std::int64_t t) { std::fill_n(y + (t * problem_.N + n) * row, row, 0.0F); });
}

void Rnn::get_states(float* hT, float* cT) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].get_states(y_[layer(i)].fetched(), hT + state(i), problem_.has_c() ? cT + state(i) : nullptr);
  }
}

void Rnn::set_gradients(const float* dy, const float* dhT, const float* dcT) {
  pack_steps(y_steps_, 1, problem_.T, dy, dy_.back().host());
  dy_.back().send();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].set_state_gradients(dhT + state(i), problem_.has_c() ? dcT + state(i) : nullptr);
  }
}

void Rnn::run_backward_data() {
  for (std::int64_t l = problem_.L - 1; l >= 0; --l) {
    const auto at = static_cast<std::size_t>(l);
    for (std::int64_t d = 0; d < problem_.D(); ++d) {
      directed(l, d).run_backward_data(y_[at].data(), dy_[at].data(), lengths());
      directed(l, d).run_gradient_of_x(l == 0 ? dx_.data() : dy_[at - 1].data(), d > 0);
    }
  }
}

void Rnn::run_weight_update() {
  for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].run_weight_update(x_of(layer(i)), y_[layer(i)].data());
}

void Rnn::get_data_gradients(float* dx, float* dh0, float* dc0) const {
  unpack_steps(x_steps_, 0, problem_.T, dx_.fetched(), dx);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].get_state_gradients(dh0 + state(i), problem_.has_c() ? dc0 + state(i) : nullptr);
  }
}

void Rnn::get_weight_gradients(std::int64_t layer, float* weights_layer, float* weights_iter, float* bias) const {
  for (std::int64_t d = 0; d < problem_.D(); ++d)
    directed(layer, d).get_weight_gradients(weights_layer, weights_iter, bias);
}

}  // namespace brickwork
