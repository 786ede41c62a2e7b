// One step of a recurrent cell for one sequence, element by element, by the formulas of rnn_cell.hpp.
#pragma once
#include <vector>

#include "primitives/rnn/op/rnn_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

inline std::size_t at(std::int64_t place) { return static_cast<std::size_t>(place); }

// The state before a step, and what the step computes.
struct RnnStep {
  Intervals h, c;
  Intervals gates;  // [G][K]
  Intervals inner;  // lbr-gru only: U_o h + b_m
  Intervals h_after, c_after;
};

// The gradients that a step computes.
struct RnnStepBack {
  Intervals dgates;        // of W x, [G][K]
  Intervals dstate_gates;  // of U h; empty if equal to dgates
  std::vector<Sum> dh;     // of the state before the step

  const Interval& of_recurrence(std::size_t place) const {
    return dstate_gates.empty() ? dgates[place] : dstate_gates[place];
  }
};

Intervals values_of(const std::vector<Sum>&);

class PlainCell {
 public:
  // W [C][G][K], U [K][G][K], bias [G][K], or [G + 1][K] for lbr-gru.
  PlainCell(const RnnProblem& p, std::int64_t C, const float* W, const float* U, const float* bias)
      : cell_(p.cell), C_(C), K_(p.K), G_(p.gates()), W_(W), U_(U), bias_(bias) {}

  float W(std::int64_t c, std::int64_t gate, std::int64_t k) const { return W_[(c * G_ + gate) * K_ + k]; }
  float U(std::int64_t j, std::int64_t gate, std::int64_t k) const { return U_[(j * G_ + gate) * K_ + k]; }

  // Computes the rest of `step` from step.h, step.c and x [C].
  void forward(RnnStep& step, const Interval* x) const;
  // dh is the whole gradient of the state after the step. dc is that of c after the step, and becomes that of c before
  // it.
  RnnStepBack backward(const RnnStep& step, const Intervals& dh, Intervals& dc) const;

  // The value that a gate's U is multiplied by.
  Interval before_gate(const RnnStep& step, std::int64_t gate, std::int64_t j) const;

 private:
  Interval sum(const RnnStep& step, const Interval* x, std::int64_t gate, std::int64_t k) const;
  void add_x(Sum& sum, const Interval* x, std::int64_t gate, std::int64_t k) const;
  void add_state(Sum& sum, const RnnStep& step, std::int64_t gate, std::int64_t k) const;

  RnnCell cell_;
  std::int64_t C_, K_, G_;
  const float *W_, *U_, *bias_;
};

}  // namespace brickwork::oracle
