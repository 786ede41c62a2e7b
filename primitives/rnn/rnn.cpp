#include "rnn/rnn.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brickwork {

Rnn::Rnn(const RnnProblem& p, const RnnPlan& plan, const RnnPlace& place)
    : problem_(p),
      plan_(plan),
      x_steps_{.size = p.C, .block = plan.bc, .slots = p.T, .N = p.N},
      y_steps_{.parts = p.D(), .size = p.K, .block = plan.bh, .slots = p.T + 2, .N = p.N},
      x_(x_steps_.elements(), place),
      lengths_there_(p.N, place) {
  for (std::int64_t l = 0; l < p.L; ++l) y_.emplace_back(y_steps_.elements(), place);
}

Result<Rnn> Rnn::make(const RnnWork& work, const RnnPlan& plan, const RnnPlace& place) {
  const RnnProblem& p = work.problem;
  if (const std::string what = misfit(p, plan); !what.empty()) {
    return Result<Rnn>::misfit(fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(p), what));
  }
  Rnn rnn(p, plan, place);
  for (std::int64_t l = 0; l < p.L; ++l) {
    for (std::int64_t d = 0; d < p.D(); ++d) {
      auto way = RnnWay::make({.cell = p.cell,
                               .reversed = p.reversed(d),
                               .T = p.T,
                               .x = l == 0 ? rnn.x_steps_ : rnn.y_steps_,
                               .y = rnn.y_steps_,
                               .first = l == 0 ? 0 : 1,
                               .part = d},
                              plan, work.use, place);
      if (!way) return {way.status(), way.reason()};
      rnn.ways_.push_back(*std::move(way));
      if (work.use == RnnUse::inference) continue;
      auto backward = RnnWayBackward::make(rnn.ways_.back(), place);
      if (!backward) return {backward.status(), backward.reason()};
      rnn.backward_.push_back(*std::move(backward));
    }
    if (work.use == RnnUse::training) rnn.dy_.emplace_back(rnn.y_steps_.elements(), place);
  }
  if (work.use == RnnUse::training) rnn.dx_ = {rnn.x_steps_.elements(), place};
  return rnn;
}

void Rnn::set_x(const float* x) {
  pack_steps(x_steps_, 0, problem_.T, x, x_.host());
  clear_x_beyond_ends();
  x_.send();
}

// Whatever stands there would meet gradients of 0 in the weights' update, of which a NaN makes NaNs.
void Rnn::clear_x_beyond_ends() {
  for (std::int64_t n = 0; n < static_cast<std::int64_t>(lengths_.size()); ++n)
    for (std::int64_t t = lengths_[static_cast<std::size_t>(n)]; t < problem_.T; ++t)
      for (std::int64_t c = 0; c < problem_.C; ++c) x_.host()[x_steps_.at(0, c, t, n)] = 0;
}

void Rnn::set_states(const float* h0, const float* c0) {
  const std::int64_t size = problem_.N * problem_.K;
  for (std::int64_t l = 0; l < problem_.L; ++l) {
    Placed<float>& y = y_[static_cast<std::size_t>(l)];
    for (std::int64_t d = 0; d < problem_.D(); ++d) {
      const float* h = h0 + (l * problem_.D() + d) * size;
      const std::int64_t slot = way(l, d).slot_before();
      for (std::int64_t n = 0; n < problem_.N; ++n)
        for (std::int64_t k = 0; k < problem_.K; ++k) y.host()[y_steps_.at(d, k, slot, n)] = *h++;
      if (problem_.has_c()) way(l, d).set_c(c0 + (l * problem_.D() + d) * size);
    }
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
  const std::int64_t G = problem_.gates(), K = problem_.K;
  for (std::int64_t d = 0; d < problem_.D(); ++d) {
    const float* const of_x = weights_layer + d * problem_.features(layer) * G * K;
    const float* const of_state = weights_iter + d * K * G * K;
    way(layer, d).set_weights(of_x, of_state, bias + d * problem_.biases() * K);
    if (!backward_.empty()) backward_[index(layer, d)].set_weights(of_x, of_state);
  }
}

void Rnn::run() {
  for (std::int64_t l = 0; l < problem_.L; ++l) {
    for (std::int64_t d = 0; d < problem_.D(); ++d) {
      way(l, d).run(x_of(l), y_[static_cast<std::size_t>(l)].data(), lengths());
    }
  }
}

void Rnn::get_y(float* y) const {
  const auto ended = [&](std::int64_t t, std::int64_t n) {
    return !lengths_.empty() && t >= lengths_[static_cast<std::size_t>(n)];
  };
  const float* const states = y_.back().fetched();
  for (std::int64_t t = 0; t < problem_.T; ++t)
    for (std::int64_t n = 0; n < problem_.N; ++n)
      for (std::int64_t d = 0; d < problem_.D(); ++d)
        for (std::int64_t k = 0; k < problem_.K; ++k) *y++ = ended(t, n) ? 0 : states[y_steps_.at(d, k, 1 + t, n)];
}

void Rnn::get_states(float* hT, float* cT) const {
  for (std::int64_t l = 0; l < problem_.L; ++l) {
    const float* const states = y_[static_cast<std::size_t>(l)].fetched();
    for (std::int64_t d = 0; d < problem_.D(); ++d) {
      for (std::int64_t n = 0; n < problem_.N; ++n)
        for (std::int64_t k = 0; k < problem_.K; ++k) *hT++ = states[y_steps_.at(d, k, way(l, d).slot_behind(), n)];
      if (problem_.has_c()) way(l, d).get_c(cT + (l * problem_.D() + d) * problem_.N * problem_.K);
    }
  }
}

void Rnn::set_gradients(const float* dy, const float* dhT, const float* dcT) {
  pack_steps(y_steps_, 1, problem_.T, dy, dy_.back().host());
  dy_.back().send();
  const std::int64_t size = problem_.N * problem_.K;
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) * size;
    backward_[i].set_states(dhT + at, problem_.has_c() ? dcT + at : nullptr);
  }
}

void Rnn::run_backward_data() {
  for (std::int64_t l = problem_.L - 1; l >= 0; --l) {
    const auto layer = static_cast<std::size_t>(l);
    for (std::int64_t d = 0; d < problem_.D(); ++d) {
      RnnWayBackward& backward = backward_[index(l, d)];
      backward.run_data(way(l, d), y_[layer].data(), dy_[layer].data(), lengths());
      backward.run_x(l == 0 ? dx_.data() : dy_[layer - 1].data(), d > 0);
    }
  }
}

void Rnn::run_weight_update() {
  for (std::int64_t l = 0; l < problem_.L; ++l) {
    for (std::int64_t d = 0; d < problem_.D(); ++d) {
      backward_[index(l, d)].run_update(way(l, d), x_of(l), y_[static_cast<std::size_t>(l)].data());
    }
  }
}

void Rnn::get_data_gradients(float* dx, float* dh0, float* dc0) const {
  unpack_steps(x_steps_, 0, problem_.T, dx_.fetched(), dx);
  const std::int64_t size = problem_.N * problem_.K;
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) * size;
    backward_[i].get_states(dh0 + at, problem_.has_c() ? dc0 + at : nullptr);
  }
}

void Rnn::get_weight_gradients(std::int64_t layer, float* weights_layer, float* weights_iter, float* bias) const {
  const std::int64_t G = problem_.gates(), K = problem_.K;
  for (std::int64_t d = 0; d < problem_.D(); ++d) {
    backward_[index(layer, d)].get_gradients(weights_layer + d * problem_.features(layer) * G * K,
                                             weights_iter + d * K * G * K, bias + d * problem_.biases() * K);
  }
}

}  // namespace brickwork
