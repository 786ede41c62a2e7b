// A step of stochastic gradient descent with momentum and weight decay, as an operation (op.hpp).
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/op.hpp"

namespace brickwork {

struct SgdProblem {
  static const SizeTable<SgdProblem>& table();  // "P25557032"

  std::string name;
  std::int64_t P = 0;  // parameters
  int count = 1;

  void validate() const;  // throws std::invalid_argument with one sentence; 1 .. 2^40
};

// PyTorch's form, without dampening and without Nesterov's: velocity' = momentum * velocity + (gradient + decay *
// weights), weights' = weights - rate * velocity'. (Sutskever's form has the rate inside the velocity.)
struct SgdStep {
  float rate, momentum, decay;
};

// Inputs: weights, velocity, gradient. Outputs: new_weights, new_velocity. Each is [P].
struct SgdOp {
  using Problem = SgdProblem;
  static constexpr std::string_view primitive = "sgd", pass = "update";
  static constexpr std::nullptr_t images = nullptr;
  static constexpr bool sum_of_products = false, bandwidth_bound = true;
  static constexpr SgdStep step{.rate = 0.1f, .momentum = 0.9f, .decay = 1e-4f};

  static std::vector<TensorInfo> inputs(const SgdProblem& p);
  static std::vector<TensorInfo> outputs(const SgdProblem& p);
  static std::int64_t terms(const SgdProblem&) { return 3; }
  static double flops(const SgdProblem& p) { return 6.0 * static_cast<double>(p.P); }
  // Six roundings of values below 2, if no operations are fused.
  static double bound(const SgdProblem&);

  static void reference(const SgdProblem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
