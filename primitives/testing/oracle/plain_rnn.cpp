#include "primitives/testing/oracle/plain_rnn.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "primitives/testing/oracle/plain_rnn_cell.hpp"

namespace brickwork::oracle {
namespace {

struct Gradients {
  std::vector<Sum> W, U, bias;
};

class PlainWay {
 public:
  // x [T][N][C] is what the layer reads; x_of_ended [N][C] is what it may read of a sequence that has ended.
  PlainWay(const RnnProblem& p, const PlainTensors& in, std::int64_t l, std::int64_t d, const Intervals& x,
           const Intervals& x_of_ended)
      : p_(p),
        in_(in),
        l_(l),
        d_(d),
        C_(p.features(l)),
        K_(p.K),
        G_(p.gates()),
        cell_(p, C_, in.at<float>(fmt::format("weights_layer.{}", l)) + d * C_ * G_ * K_,
              in.at<float>(fmt::format("weights_iter.{}", l)) + d * K_ * G_ * K_,
              in.at<float>(fmt::format("bias.{}", l)) + d * p.biases() * K_),
        x_(x),
        x_of_ended_(x_of_ended),
        steps_(at(p.T * p.N)) {}

  void forward(Intervals& y, Intervals& hT, Intervals& cT) {
    for (std::int64_t n = 0; n < p_.N; ++n) {
      Intervals h = state("h0", n), c = p_.has_c() ? state("c0", n) : Intervals();
      for (const std::int64_t t : steps_of(n)) {
        RnnStep& step = steps_[at(t * p_.N + n)];
        step.h = h, step.c = c;
        cell_.forward(step, &x(t, n, 0));
        h = step.h_after, c = step.c_after;
        std::ranges::copy(h, y.begin() + ((t * p_.N + n) * p_.D() + d_) * K_);
      }
      std::ranges::copy(h, hT.begin() + place_of_state(n));
      std::ranges::copy(c, cT.begin() + (p_.has_c() ? place_of_state(n) : 0));
    }
  }

  // The state of an ended sequence: its last one, or its first one if time runs backwards.
  Intervals staying(std::int64_t n) const {
    return from_the_end() ? state("h0", n) : steps_[at((length(n) - 1) * p_.N + n)].h_after;
  }

  // dy is the gradient of this layer's y. Adds this direction's part to dx.
  void backward(const Intervals& dy, std::vector<Sum>& dx, Intervals& dh0, Intervals& dc0, Gradients& d) const {
    for (std::int64_t n = 0; n < p_.N; ++n) {
      Intervals dh = state("dhT", n), dc = p_.has_c() ? state("dcT", n) : Intervals();
      std::vector<std::int64_t> order = steps_of(n);
      const bool ended = length(n) < p_.T;
      if (ended) add_ended(n, dx, d);
      if (ended && !from_the_end()) add_zeros_of_ended(dh);
      std::ranges::reverse(order);
      for (const std::int64_t t : order) {
        const RnnStep& step = steps_[at(t * p_.N + n)];
        for (std::int64_t k = 0; k < K_; ++k) {
          dh[at(k)] = dh[at(k)] + dy[at(((t * p_.N + n) * p_.D() + d_) * K_ + k)];
        }
        const RnnStepBack back = cell_.backward(step, dh, dc);
        for (std::int64_t gate = 0; gate < G_; ++gate)
          for (std::int64_t k = 0; k < K_; ++k) {
            const Interval &dgate = back.dgates[at(gate * K_ + k)], &dstate = back.of_recurrence(at(gate * K_ + k));
            for (std::int64_t c = 0; c < C_; ++c) {
              dx[at((t * p_.N + n) * C_ + c)].add_product(dgate, Interval::of(cell_.W(c, gate, k)));
              d.W[at((c * G_ + gate) * K_ + k)].add_product(x(t, n, c), dgate);
            }
            for (std::int64_t j = 0; j < K_; ++j) {
              d.U[at((j * G_ + gate) * K_ + k)].add_product(cell_.before_gate(step, gate, j), dstate);
            }
            d.bias[at(gate * K_ + k)].add(dgate);
            if (p_.cell == RnnCell::lbr_gru && gate == 2) d.bias[at(3 * K_ + k)].add(dstate);
          }
        dh = values_of(back.dh);
      }
      if (ended && from_the_end()) add_zeros_of_ended(dh);
      std::ranges::copy(dh, dh0.begin() + place_of_state(n));
      std::ranges::copy(dc, dc0.begin() + (p_.has_c() ? place_of_state(n) : 0));
    }
  }

 private:
  const Interval& x(std::int64_t t, std::int64_t n, std::int64_t c) const { return x_[at((t * p_.N + n) * C_ + c)]; }

  std::int64_t place_of_state(std::int64_t n) const { return ((l_ * p_.D() + d_) * p_.N + n) * K_; }
  Intervals state(const char* name, std::int64_t n) const {
    const float* const from = in_.at<float>(name) + place_of_state(n);
    Intervals state;
    for (std::int64_t k = 0; k < K_; ++k) state.push_back(Interval::of(from[k]));
    return state;
  }
  std::int64_t length(std::int64_t n) const {
    const std::int32_t* const lengths = in_.at<std::int32_t>("lengths");
    return lengths == nullptr ? p_.T : lengths[n];
  }
  std::vector<std::int64_t> steps_of(std::int64_t n) const {
    std::vector<std::int64_t> steps;
    for (std::int64_t t = 0; t < length(n); ++t) steps.push_back(t);
    if (from_the_end()) std::ranges::reverse(steps);
    return steps;
  }

  // After a sequence's end the gates' gradients are 0. A driver may multiply these zeros with the other factors: with
  // weights, and with the states that stay.
  void add_ended(std::int64_t n, std::vector<Sum>& dx, Gradients& d) const {
    const Intervals staying_state = staying(n);
    for (std::int64_t gate = 0; gate < G_; ++gate)
      for (std::int64_t k = 0; k < K_; ++k) {
        for (std::int64_t c = 0; c < C_; ++c) {
          d.W[at((c * G_ + gate) * K_ + k)].add_zero_times(x_of_ended_[at(n * C_ + c)]);
          for (std::int64_t t = length(n); t < p_.T; ++t) {
            dx[at((t * p_.N + n) * C_ + c)].add_zero_times(cell_.W(c, gate, k));
          }
        }
        for (std::int64_t j = 0; j < K_; ++j) d.U[at((j * G_ + gate) * K_ + k)].add_zero_times(staying_state[at(j)]);
      }
  }
  void add_zeros_of_ended(Intervals& dh) const {
    for (std::int64_t j = 0; j < K_; ++j) {
      Sum zeros;
      for (std::int64_t gate = 0; gate < G_; ++gate)
        for (std::int64_t k = 0; k < K_; ++k) zeros.add_zero_times(cell_.U(j, gate, k));
      if (zeros.value().nan) dh[at(j)] = dh[at(j)].or_nan();
    }
  }
  bool from_the_end() const { return p_.direction == RnnDirection::reverse || d_ == 1; }

  const RnnProblem& p_;
  const PlainTensors& in_;
  std::int64_t l_, d_, C_, K_, G_;
  PlainCell cell_;
  Intervals x_, x_of_ended_;
  std::vector<RnnStep> steps_;
};

struct Layers {
  std::vector<PlainWay> ways;  // [layer][direction]
  Intervals y, hT, cT;

  // What layer l may read of sequences that have ended, [N][C]: the states that stay; zeros for the first layer.
  Intervals of_ended(const RnnProblem& p, std::int64_t l) const {
    if (l == 0) return Intervals(at(p.N * p.C));
    Intervals states;
    for (std::int64_t n = 0; n < p.N; ++n)
      for (std::int64_t d = 0; d < p.D(); ++d) {
        const Intervals of = ways[at((l - 1) * p.D() + d)].staying(n);
        states.insert(states.end(), of.begin(), of.end());
      }
    return states;
  }
};

Layers run_layers(const RnnProblem& p, const PlainTensors& in) {
  Layers layers;
  const std::int64_t states = p.L * p.D() * p.N * p.K;
  layers.hT.resize(at(states));
  layers.cT.resize(at(p.has_c() ? states : 0));
  for (std::int64_t i = 0; i < p.T * p.N * p.C; ++i) layers.y.push_back(Interval::of(in.at<float>("x")[i]));
  for (std::int64_t l = 0; l < p.L; ++l) {
    const Intervals x = std::move(layers.y);
    const Intervals x_of_ended = layers.of_ended(p, l);
    layers.y.assign(at(p.T * p.N * p.D() * p.K), {});
    for (std::int64_t d = 0; d < p.D(); ++d) {
      layers.ways.emplace_back(p, in, l, d, x, x_of_ended).forward(layers.y, layers.hT, layers.cT);
    }
  }
  return layers;
}

}  // namespace

Outcomes rnn_forward(const RnnProblem& p, const PlainTensors& in) {
  Layers layers = run_layers(p, in);
  Outcomes outcomes{{"y", layers.y}, {"hT", layers.hT}};
  if (p.has_c()) outcomes.push_back({"cT", layers.cT});
  return outcomes;
}

Outcomes rnn_backward(const RnnProblem& p, const PlainTensors& in) {
  const Layers layers = run_layers(p, in);
  Outcomes outcomes;
  Intervals dy, dh0(layers.hT.size()), dc0(layers.cT.size());
  for (std::int64_t i = 0; i < p.T * p.N * p.D() * p.K; ++i) dy.push_back(Interval::of(in.at<float>("dy")[i]));
  for (std::int64_t l = p.L; l-- > 0;) {
    std::vector<Sum> dx(at(p.T * p.N * p.features(l)));
    Intervals dW, dU, dbias;
    for (std::int64_t d = 0; d < p.D(); ++d) {
      Gradients gradients{std::vector<Sum>(at(p.features(l) * p.gates() * p.K)),
                          std::vector<Sum>(at(p.K * p.gates() * p.K)), std::vector<Sum>(at(p.biases() * p.K))};
      layers.ways[at(l * p.D() + d)].backward(dy, dx, dh0, dc0, gradients);
      const auto append = [](Intervals& to, const std::vector<Sum>& sums) {
        for (const Sum& sum : sums) to.push_back(sum.value());
      };
      append(dW, gradients.W);
      append(dU, gradients.U);
      append(dbias, gradients.bias);
    }
    outcomes.push_back({fmt::format("weights_layer.{}.gradient", l), dW});
    outcomes.push_back({fmt::format("weights_iter.{}.gradient", l), dU});
    outcomes.push_back({fmt::format("bias.{}.gradient", l), dbias});
    dy = values_of(dx);
  }
  outcomes.push_back({"dx", dy});
  outcomes.push_back({"dh0", dh0});
  if (p.has_c()) outcomes.push_back({"dc0", dc0});
  return outcomes;
}

}  // namespace brickwork::oracle
