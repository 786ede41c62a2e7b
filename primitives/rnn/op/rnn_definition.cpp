#include "primitives/rnn/op/rnn_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "primitives/op/compare.hpp"
#include "primitives/rnn/op/rnn_cells.hpp"

namespace brickwork {
namespace {

using Values = std::vector<double>;
using rnn_cells::Step;
using rnn_cells::Weights;

// One layer in one direction, over all steps.
template <class Cell>
class Way {
 public:
  Way(const RnnProblem& p, const PlainTensors& in, std::int64_t l, std::int64_t d)
      : p_(p), l_(l), d_(d), in_(in), U_(p, tensor(in, "weights_iter"), tensor(in, "bias")) {}

  // x is [T][N][C_l], y [T][N][D * K], of which this direction writes its part.
  rnn_cells::State forward(const Values& x, Values& y) {
    const std::int64_t inputs = p_.features(l_), rows = p_.N;
    rnn_cells::State state{states(in_, "h0"), states(in_, "c0")};
    steps_.resize(static_cast<std::size_t>(p_.T));
    for_each_step(false, [&](std::int64_t t) {
      Step& step = steps_[static_cast<std::size_t>(t)];
      step.before = state;
      step.active = active(t);
      step.gate.assign(size(rows * p_.gates() * p_.K), 0.0);
      U_.add_bias(step.gate);
      U_.product(x.data() + t * rows * inputs, inputs, tensor(in_, "weights_layer"), 0, p_.gates(), step.gate);
      Cell::forward(U_, step, state);
      copy_states(
          t, state.h, [&](double h, double& to) { to = h; }, step.active, y);
    });
    return state;
  }

  // Reads this direction's part of dy, and its dhT and dcT. Adds to dx and to the gradients.
  void backward(const Values& x, Values& dy, const PlainTensors& in, PlainTensors& out, Values& dx) {
    const std::int64_t inputs = p_.features(l_), rows = p_.N;
    rnn_cells::State d{states(in, "dhT"), states(in, "dcT")};
    double* const dW = gradient(out, "weights_layer");
    Weights::Gradient dU{gradient(out, "weights_iter"), gradient(out, "bias")};
    for_each_step(true, [&](std::int64_t t) {
      const Step& step = steps_[static_cast<std::size_t>(t)];
      copy_states(
          t, d.h, [](double& dh, double& from) { dh += from; }, step.active, dy);
      Values dgate(step.gate.size(), 0.0);
      Cell::backward(U_, step, d, dgate, dU);
      U_.add_bias_gradient(dgate, dU);
      U_.transposed_product(dgate, 0, p_.gates(), tensor(in_, "weights_layer"), inputs, dx.data() + t * rows * inputs);
      U_.outer_product(x.data() + t * rows * inputs, inputs, dgate, 0, p_.gates(), dW);
    });
    store(d.h, out.at<double>("dh0"));
    store(d.c, out.at<double>("dc0"));
  }

  // Copies h or c of this layer and direction into the tensor of all; c may be empty.
  void store(const Values& state, double* all) const {
    if (!state.empty()) std::ranges::copy(state, all + (l_ * p_.D() + d_) * p_.N * p_.K);
  }

 private:
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

  const double* tensor(const PlainTensors& tensors, const char* what) const {
    const auto of_ways = tensors.values<double>(fmt::format("{}.{}", what, l_));
    return of_ways.data() + d_ * std::ssize(of_ways) / p_.D();
  }
  double* gradient(PlainTensors& out, const char* what) const {
    const auto of_ways = out.values<double>(fmt::format("{}.{}.gradient", what, l_));
    return of_ways.data() + d_ * std::ssize(of_ways) / p_.D();
  }
  // The part of a tensor of states that belongs to this layer and direction; empty if there is no such tensor.
  Values states(const PlainTensors& from, const char* name) const {
    const auto all = from.values<double>(name);
    const std::int64_t one = std::ssize(all) / (p_.L * p_.D()), first = (l_ * p_.D() + d_) * one;
    return {all.begin() + first, all.begin() + first + one};
  }

  template <class With>
  void for_each_step(bool back, const With& with) const {
    for (std::int64_t t = 0; t < p_.T; ++t) with(p_.reversed(d_) != back ? p_.T - 1 - t : t);
  }

  std::vector<bool> active(std::int64_t t) const {
    const double* const lengths = in_.at<double>("lengths");
    std::vector<bool> active(size(p_.N), true);
    if (lengths != nullptr) {
      for (std::int64_t n = 0; n < p_.N; ++n) active[size(n)] = static_cast<double>(t) < lengths[n];
    }
    return active;
  }

  template <class Copy>
  void copy_states(std::int64_t t, Values& state, const Copy& copy, const std::vector<bool>& active, Values& y) const {
    for (std::int64_t n = 0; n < p_.N; ++n) {
      if (!active[size(n)]) continue;
      for (std::int64_t k = 0; k < p_.K; ++k) {
        copy(state[size(n * p_.K + k)], y[size(((t * p_.N + n) * p_.D() + d_) * p_.K + k)]);
      }
    }
  }

  const RnnProblem& p_;
  std::int64_t l_, d_;
  const PlainTensors& in_;
  Weights U_;
  std::vector<Step> steps_;  // by t
};

template <class Cell>
void define(const RnnProblem& p, const PlainTensors& in, PlainTensors& out, bool gradients) {
  const auto copy_of = [&](const char* name) {
    const auto values = in.values<double>(name);
    return Values(values.begin(), values.end());
  };
  std::vector<Way<Cell>> ways;          // [layer][direction]
  std::vector<Values> x{copy_of("x")};  // what each layer reads, and y
  for (std::int64_t l = 0; l < p.L; ++l) {
    x.emplace_back(static_cast<std::size_t>(p.T * p.N * p.D() * p.K), 0.0);
    for (std::int64_t d = 0; d < p.D(); ++d) {
      const rnn_cells::State last = ways.emplace_back(p, in, l, d).forward(x[x.size() - 2], x.back());
      if (gradients) continue;
      ways.back().store(last.h, out.at<double>("hT"));
      ways.back().store(last.c, out.at<double>("cT"));
    }
  }
  if (!gradients) {
    std::ranges::copy(x.back(), out.at<double>("y"));
    return;
  }
  fill_with_zeros(out);
  Values dy = copy_of("dy");
  for (std::int64_t l = p.L; l-- > 0;) {
    const Values& layer_x = x[static_cast<std::size_t>(l)];
    Values dx(layer_x.size(), 0.0);
    for (std::int64_t d = 0; d < p.D(); ++d) {
      ways[static_cast<std::size_t>(l * p.D() + d)].backward(layer_x, dy, in, out, dx);
    }
    dy = std::move(dx);
  }
  std::ranges::copy(dy, out.at<double>("dx"));
}

}  // namespace

void define_rnn(const RnnProblem& p, const PlainTensors& in, PlainTensors& out, bool gradients) {
  check_lengths(p, in.values<double>("lengths"));
  switch (p.cell) {
    case RnnCell::lstm:
      return define<rnn_cells::Lstm>(p, in, out, gradients);
    case RnnCell::gru:
      return define<rnn_cells::Gru>(p, in, out, gradients);
    case RnnCell::lbr_gru:
      return define<rnn_cells::LbrGru>(p, in, out, gradients);
    case RnnCell::rnn_tanh:
      return define<rnn_cells::Vanilla<Activation::tanh>>(p, in, out, gradients);
    case RnnCell::rnn_relu:
      return define<rnn_cells::Vanilla<Activation::relu>>(p, in, out, gradients);
  }
}

}  // namespace brickwork
