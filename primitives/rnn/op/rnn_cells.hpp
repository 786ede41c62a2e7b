// The formulas of the cells (rnn_cell.hpp), forward and backward, in double. Each function does one step of all
// sequences: states are [N][K], gates [N][G][K]. A sequence that has ended is left alone.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/epilogue/activation.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork::rnn_cells {

using Values = std::vector<double>;

struct State {
  Values h, c;  // c: LSTM only
};

struct Step {
  State before;
  std::vector<bool> active;
  Values gate;   // first the sums W x + b, then the gates' activated values
  Values inner;  // lbr_gru only: U_o h + b_m
};

// The recurrence's weights of one layer and direction, and products of all sequences with any weights [rows][G][K].
class Weights {
 public:
  struct Gradient {
    double *U, *bias;
  };

  Weights(const RnnProblem& p, const double* U, const double* bias)
      : N(p.N), K(p.K), G(p.gates()), U_(U), bias_(bias) {}

  // For `count` gates from `first` on: gate += rows * weights; rows += gate * weights^T; weights += rows^T * gate.
  void product(const double* rows, std::int64_t length, const double* weights, std::int64_t first, std::int64_t count,
               Values& gate) const;
  void transposed_product(const Values& gate, std::int64_t first, std::int64_t count, const double* weights,
                          std::int64_t length, double* rows) const;
  void outer_product(const double* rows, std::int64_t length, const Values& gate, std::int64_t first,
                     std::int64_t count, double* weights) const;

  // The three products with U.
  void times_U(const Values& h, std::int64_t first, std::int64_t count, Values& gate) const {
    product(h.data(), K, U_, first, count, gate);
  }
  void times_U_transposed(const Values& dgate, std::int64_t first, std::int64_t count, Values& dh) const {
    transposed_product(dgate, first, count, U_, K, dh.data());
  }
  void add_dU(const Values& h, const Values& dgate, std::int64_t first, std::int64_t count, Gradient& d) const {
    outer_product(h.data(), K, dgate, first, count, d.U);
  }

  void add_bias(Values& gate) const;
  void add_bias_gradient(const Values& dgate, Gradient& d) const;
  double bias(std::int64_t g, std::int64_t k) const { return bias_[g * K + k]; }

  // with(n, k, index in [N][K]) for the sequences that have not ended.
  template <class With>
  void for_each(const Step& step, const With& with) const {
    for (std::int64_t n = 0; n < N; ++n) {
      if (!step.active[static_cast<std::size_t>(n)]) continue;
      for (std::int64_t k = 0; k < K; ++k) with(n, k, static_cast<std::size_t>(n * K + k));
    }
  }
  std::size_t at(std::int64_t n, std::int64_t g, std::int64_t k) const {
    return static_cast<std::size_t>((n * G + g) * K + k);
  }

  const std::int64_t N, K, G;

 private:
  const double *U_, *bias_;
};

inline double dsigmoid(double y) { return y * (1 - y); }  // the slope of sigmoid where its value is y; dtanh: of tanh
inline double dtanh(double y) { return 1 - y * y; }

// forward() computes the state after the step from step.before. backward() gets in `d` the gradients of the state after
// the step and replaces them by those of the state before. It sets the gradients `dgate` of the sums W x + b, and adds
// to the recurrence's gradients dU, except that of the bias b.
struct Lstm {
  enum { i, f, g, o };

  static void forward(const Weights& w, Step& step, State& after) {
    w.times_U(step.before.h, i, 4, step.gate);
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      for (const int gate : {i, f, o}) step.gate[w.at(n, gate, k)] = sigmoid(step.gate[w.at(n, gate, k)]);
      step.gate[w.at(n, g, k)] = std::tanh(step.gate[w.at(n, g, k)]);
      const auto value = [&](int gate) { return step.gate[w.at(n, gate, k)]; };
      after.c[e] = value(f) * step.before.c[e] + value(i) * value(g);
      after.h[e] = value(o) * std::tanh(after.c[e]);
    });
  }

  static void backward(const Weights& w, const Step& step, State& d, Values& dgate, Weights::Gradient& dU) {
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      const auto value = [&](int gate) { return step.gate[w.at(n, gate, k)]; };
      const double tanh_c = std::tanh(value(f) * step.before.c[e] + value(i) * value(g));
      const double dc = d.c[e] + d.h[e] * value(o) * dtanh(tanh_c);
      dgate[w.at(n, i, k)] = dc * value(g) * dsigmoid(value(i));
      dgate[w.at(n, f, k)] = dc * step.before.c[e] * dsigmoid(value(f));
      dgate[w.at(n, g, k)] = dc * value(i) * dtanh(value(g));
      dgate[w.at(n, o, k)] = d.h[e] * tanh_c * dsigmoid(value(o));
      d.c[e] = dc * value(f);
      d.h[e] = 0;
    });
    w.times_U_transposed(dgate, i, 4, d.h);
    w.add_dU(step.before.h, dgate, i, 4, dU);
  }
};

struct Gru {
  enum { u, r, o };

  static Values reset(const Weights& w, const Step& step) {
    Values rh(step.before.h.size(), 0.0);
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      rh[e] = step.gate[w.at(n, r, k)] * step.before.h[e];
    });
    return rh;
  }

  static void forward(const Weights& w, Step& step, State& after) {
    w.times_U(step.before.h, u, 2, step.gate);
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t) {
      for (const int gate : {u, r}) step.gate[w.at(n, gate, k)] = sigmoid(step.gate[w.at(n, gate, k)]);
    });
    w.times_U(reset(w, step), o, 1, step.gate);
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      const double new_h = step.gate[w.at(n, o, k)] = std::tanh(step.gate[w.at(n, o, k)]);
      const double keep = step.gate[w.at(n, u, k)];
      after.h[e] = keep * step.before.h[e] + (1 - keep) * new_h;
    });
  }

  static void backward(const Weights& w, const Step& step, State& d, Values& dgate, Weights::Gradient& dU) {
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      const auto value = [&](int gate) { return step.gate[w.at(n, gate, k)]; };
      dgate[w.at(n, u, k)] = d.h[e] * (step.before.h[e] - value(o)) * dsigmoid(value(u));
      dgate[w.at(n, o, k)] = d.h[e] * (1 - value(u)) * dtanh(value(o));
      d.h[e] *= value(u);
    });
    Values drh(d.h.size(), 0.0);
    w.times_U_transposed(dgate, o, 1, drh);
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      const double reset_gate = step.gate[w.at(n, r, k)];
      dgate[w.at(n, r, k)] = drh[e] * step.before.h[e] * dsigmoid(reset_gate);
      d.h[e] += drh[e] * reset_gate;
    });
    w.times_U_transposed(dgate, u, 2, d.h);
    w.add_dU(step.before.h, dgate, u, 2, dU);
    w.add_dU(reset(w, step), dgate, o, 1, dU);
  }
};

struct LbrGru {
  enum { u, r, o, m };  // m has a bias only

  static void forward(const Weights& w, Step& step, State& after) {
    w.times_U(step.before.h, u, 2, step.gate);
    step.inner.assign(step.gate.size(), 0.0);
    w.times_U(step.before.h, o, 1, step.inner);
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      for (const int gate : {u, r}) step.gate[w.at(n, gate, k)] = sigmoid(step.gate[w.at(n, gate, k)]);
      const auto value = [&](int gate) { return step.gate[w.at(n, gate, k)]; };
      step.inner[w.at(n, o, k)] += w.bias(m, k);
      step.gate[w.at(n, o, k)] = std::tanh(value(o) + value(r) * step.inner[w.at(n, o, k)]);
      after.h[e] = value(u) * step.before.h[e] + (1 - value(u)) * value(o);
    });
  }

  static void backward(const Weights& w, const Step& step, State& d, Values& dgate, Weights::Gradient& dU) {
    Values diter(dgate.size(), 0.0);  // gradients of the recurrence's sums: U_o h + b_m is apart from W_o x + b_o
    w.for_each(step, [&](std::int64_t n, std::int64_t k, std::size_t e) {
      const auto value = [&](int gate) { return step.gate[w.at(n, gate, k)]; };
      const double do_sum = d.h[e] * (1 - value(u)) * dtanh(value(o));
      const double du_sum = d.h[e] * (step.before.h[e] - value(o)) * dsigmoid(value(u));
      const double dr_sum = do_sum * step.inner[w.at(n, o, k)] * dsigmoid(value(r));
      dgate[w.at(n, u, k)] = diter[w.at(n, u, k)] = du_sum;
      dgate[w.at(n, r, k)] = diter[w.at(n, r, k)] = dr_sum;
      dgate[w.at(n, o, k)] = do_sum;
      diter[w.at(n, o, k)] = do_sum * value(r);
      dU.bias[m * w.K + k] += do_sum * value(r);
      d.h[e] *= value(u);
    });
    w.times_U_transposed(diter, u, 3, d.h);
    w.add_dU(step.before.h, diter, u, 3, dU);
  }
};

template <Activation curve>
struct Vanilla {
  static void forward(const Weights& w, Step& step, State& after) {
    w.times_U(step.before.h, 0, 1, step.gate);
    w.for_each(step, [&](std::int64_t, std::int64_t, std::size_t e) {
      after.h[e] = step.gate[e] = activated(curve, step.gate[e]);
    });
  }

  static void backward(const Weights& w, const Step& step, State& d, Values& dgate, Weights::Gradient& dU) {
    w.for_each(step, [&](std::int64_t, std::int64_t, std::size_t e) {
      dgate[e] = times_derivative(curve, d.h[e], step.gate[e]);
      d.h[e] = 0;
    });
    w.times_U_transposed(dgate, 0, 1, d.h);
    w.add_dU(step.before.h, dgate, 0, 1, dU);
  }
};

}  // namespace brickwork::rnn_cells
