// Softmax with cross-entropy, with one right class per row, as operations (op.hpp): the mean loss and its gradient.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/op.hpp"

namespace brickwork {

struct SoftmaxLossProblem {
  static const SizeTable<SoftmaxLossProblem>& table();  // "N256 C1000"; N defaults to 1

  std::string name;
  std::int64_t N = 1, C = 0;  // rows, classes
  int count = 1;

  void validate() const;  // throws std::invalid_argument with one sentence; sizes 1 .. 2^30
};

// Inputs: logits [N][C], labels [N] from 0 to C - 1. Checks use logits from [-8, 8).
struct SoftmaxLossOp {
  using Problem = SoftmaxLossProblem;
  static constexpr std::string_view primitive = "softmax-loss";
  static constexpr std::int64_t SoftmaxLossProblem::*images = &SoftmaxLossProblem::N;
  static constexpr bool sum_of_products = false, bandwidth_bound = true;

  static std::vector<TensorInfo> inputs(const SoftmaxLossProblem& p);
  static std::int64_t terms(const SoftmaxLossProblem& p) { return p.C; }
  // A comparison, a subtraction, an exponential and an addition per logit.
  static double flops(const SoftmaxLossProblem& p) { return 4.0 * static_cast<double>(p.N) * static_cast<double>(p.C); }
  // Turns random values from [-1, 1) into logits and valid labels.
  static void settle(const SoftmaxLossProblem&, PlainTensors& in);
};

// loss [1] = mean over n of (log(sum over c of exp(logits[n][c])) - logits[n][labels[n]]).
struct SoftmaxLossForwardOp : SoftmaxLossOp {
  static constexpr std::string_view pass = "forward";

  static std::vector<TensorInfo> outputs(const SoftmaxLossProblem&) { return {{.name = "loss", .dims = {1}}}; }
  static double bound(const SoftmaxLossProblem&);  // for a loss below 32, with differences rounded below 16
  static void reference(const SoftmaxLossProblem&, const PlainTensors& in, PlainTensors& out);
};

// dlogits [N][C] = (softmax of logits[n] - [c == labels[n]]) / N.
struct SoftmaxLossBackwardOp : SoftmaxLossOp {
  static constexpr std::string_view pass = "backward-data";

  static std::vector<TensorInfo> outputs(const SoftmaxLossProblem& p) {
    return {{.name = "dlogits", .dims = {p.N, p.C}}};
  }
  static double bound(const SoftmaxLossProblem& p);
  static void reference(const SoftmaxLossProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
