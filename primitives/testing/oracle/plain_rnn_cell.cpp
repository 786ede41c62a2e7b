#include "primitives/testing/oracle/plain_rnn_cell.hpp"

#include <algorithm>
#include <cmath>

#include "primitives/testing/oracle/curves.hpp"

namespace brickwork::oracle {
namespace {

enum { i, f, g, o };                // an LSTM's gates
enum { update, reset, candidate };  // a GRU's gates

// u h + (1 - u) o, computed so or as u (h - o) + o.
Interval mixed(const Interval& u, const Interval& h, const Interval& o) {
  Sum sum;
  sum.add_product(u, h);
  sum.add_product(Interval::of(1) - u, o);
  const double rounding = 2 * kHalfUlp * ((u * h).most() + o.most());
  return std::isfinite(rounding) ? widened(sum.value(2), rounding) : sum.value();
}

// The gradient through a ReLU with value y: 0 if y is 0; a NaN lets it pass (activation.hpp).
Interval passed(const Interval& y, const Interval& d) {
  if (!y.is_number() || y.low > 0) return d;
  return y.high <= 0 && !y.nan ? Interval::of(0) : either(d, Interval::of(0));
}

}  // namespace

Intervals values_of(const std::vector<Sum>& sums) {
  Intervals values;
  for (const Sum& sum : sums) values.push_back(sum.value());
  return values;
}

Interval PlainCell::before_gate(const RnnStep& step, std::int64_t gate, std::int64_t j) const {
  const bool after_reset = cell_ == RnnCell::gru && gate == candidate;
  return after_reset ? step.h[at(j)] * step.gates[at(reset * K_ + j)] : step.h[at(j)];
}

void PlainCell::add_x(Sum& sum, const Interval* x, std::int64_t gate, std::int64_t k) const {
  for (std::int64_t c = 0; c < C_; ++c) sum.add_product(x[c], Interval::of(W(c, gate, k)));
  sum.add(Interval::of(bias_[gate * K_ + k]));
}

void PlainCell::add_state(Sum& sum, const RnnStep& step, std::int64_t gate, std::int64_t k) const {
  for (std::int64_t j = 0; j < K_; ++j) sum.add_product(before_gate(step, gate, j), Interval::of(U(j, gate, k)));
}

Interval PlainCell::sum(const RnnStep& step, const Interval* x, std::int64_t gate, std::int64_t k) const {
  Sum of;
  add_x(of, x, gate, k);
  add_state(of, step, gate, k);
  return of.value();
}

void PlainCell::forward(RnnStep& step, const Interval* x) const {
  step.gates.resize(at(G_ * K_));
  const auto gate = [&](std::int64_t which, std::int64_t k) -> Interval& { return step.gates[at(which * K_ + k)]; };
  for (std::int64_t k = 0; k < K_; ++k) {
    switch (cell_) {
      case RnnCell::lstm: {
        for (const int which : {i, f, o}) gate(which, k) = sigmoid(sum(step, x, which, k));
        gate(g, k) = hyperbolic_tangent(sum(step, x, g, k));
        Sum c;
        c.add_product(gate(f, k), step.c[at(k)]);
        c.add_product(gate(i, k), gate(g, k));
        step.c_after.push_back(c.value());
        step.h_after.push_back(gate(o, k) * hyperbolic_tangent(step.c_after.back()));
        break;
      }
      case RnnCell::gru:
      case RnnCell::lbr_gru:
        for (const int which : {update, reset}) gate(which, k) = sigmoid(sum(step, x, which, k));
        break;
      case RnnCell::rnn_tanh:
        step.h_after.push_back(gate(0, k) = hyperbolic_tangent(sum(step, x, 0, k)));
        break;
      case RnnCell::rnn_relu:
        step.h_after.push_back(gate(0, k) = relu(sum(step, x, 0, k)));
        break;
    }
  }
  if (cell_ != RnnCell::gru && cell_ != RnnCell::lbr_gru) return;
  for (std::int64_t k = 0; k < K_; ++k) {
    if (cell_ == RnnCell::gru) {
      gate(candidate, k) = hyperbolic_tangent(sum(step, x, candidate, k));
    } else {
      Sum outer, inner, both;
      add_x(outer, x, candidate, k);
      add_state(inner, step, candidate, k);
      inner.add(Interval::of(bias_[3 * K_ + k]));
      step.inner.push_back(inner.value());
      both.add(outer.value());
      both.add_product(gate(reset, k), step.inner.back());
      gate(candidate, k) = hyperbolic_tangent(both.value());
    }
    step.h_after.push_back(mixed(gate(update, k), step.h[at(k)], gate(candidate, k)));
  }
}

RnnStepBack PlainCell::backward(const RnnStep& step, const Intervals& dh, Intervals& dc) const {
  RnnStepBack back{Intervals(at(G_ * K_)), {}, std::vector<Sum>(at(K_))};
  const auto gate = [&](std::int64_t which, std::int64_t k) { return step.gates[at(which * K_ + k)]; };
  const auto dgate = [&](std::int64_t which, std::int64_t k) -> Interval& { return back.dgates[at(which * K_ + k)]; };
  if (cell_ == RnnCell::lbr_gru) back.dstate_gates.resize(at(G_ * K_));
  for (std::int64_t k = 0; k < K_; ++k) {
    const Interval& d = dh[at(k)];
    switch (cell_) {
      case RnnCell::lstm: {
        const Interval tanh_c = hyperbolic_tangent(step.c_after[at(k)]);
        Sum sum;
        sum.add(dc[at(k)]);
        sum.add_product(d * gate(o, k), tangent_slope(tanh_c));
        const Interval whole = sum.value(1);
        dgate(i, k) = whole * gate(g, k) * sigmoid_slope(gate(i, k));
        dgate(f, k) = whole * step.c[at(k)] * sigmoid_slope(gate(f, k));
        dgate(g, k) = whole * gate(i, k) * tangent_slope(gate(g, k));
        dgate(o, k) = d * tanh_c * sigmoid_slope(gate(o, k));
        dc[at(k)] = whole * gate(f, k);
        break;
      }
      case RnnCell::gru:
      case RnnCell::lbr_gru:
        dgate(update, k) = d * (step.h[at(k)] - gate(candidate, k)) * sigmoid_slope(gate(update, k));
        dgate(candidate, k) = d * (Interval::of(1) - gate(update, k)) * tangent_slope(gate(candidate, k));
        back.dh[at(k)].add_product(d, gate(update, k));
        if (cell_ == RnnCell::gru) break;
        dgate(reset, k) = dgate(candidate, k) * step.inner[at(k)] * sigmoid_slope(gate(reset, k));
        for (const int which : {update, reset}) back.dstate_gates[at(which * K_ + k)] = dgate(which, k);
        back.dstate_gates[at(candidate * K_ + k)] = dgate(candidate, k) * gate(reset, k);
        break;
      case RnnCell::rnn_tanh:
        dgate(0, k) = d * tangent_slope(gate(0, k));
        break;
      case RnnCell::rnn_relu:
        dgate(0, k) = passed(gate(0, k), d);
        break;
    }
  }
  if (cell_ == RnnCell::gru) {
    for (std::int64_t j = 0; j < K_; ++j) {
      Sum sum;
      for (std::int64_t k = 0; k < K_; ++k) sum.add_product(dgate(candidate, k), Interval::of(U(j, candidate, k)));
      const Interval dreset = sum.value();
      dgate(reset, j) = dreset * step.h[at(j)] * sigmoid_slope(gate(reset, j));
      back.dh[at(j)].add_product(dreset, gate(reset, j));
    }
  }
  const std::int64_t direct = cell_ == RnnCell::gru ? 2 : G_;  // gates that read the state itself
  for (std::int64_t j = 0; j < K_; ++j)
    for (std::int64_t which = 0; which < direct; ++which)
      for (std::int64_t k = 0; k < K_; ++k) {
        back.dh[at(j)].add_product(back.of_recurrence(at(which * K_ + k)), Interval::of(U(j, which, k)));
      }
  return back;
}

}  // namespace brickwork::oracle
