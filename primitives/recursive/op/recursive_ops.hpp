// The passes of a recursive model as operations (op.hpp): tensors, work and definitions.
//
// Input tensors, named by the cell: each input [nodes][H], of leaves [leaves][H] or [leaves][H][H]; each weight [H][H],
// rows are what it is multiplied with; each bias [H]. Nodes and leaves are in the order of the forest's numbers.
// Results: each state of all nodes, [nodes][H] or [nodes][H][H].
//
// Flops are those of the products that do not vanish: a leaf has no children, and a node may lack one. Each output is
// judged as a whole (compare.hpp).
#pragma once
#include "primitives/op/op.hpp"
#include "primitives/recursive/op/recursive_bounds.hpp"
#include "primitives/recursive/op/recursive_problem.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork {

namespace recursive_ops {

std::vector<TensorInfo> sources(const RecursiveProblem&);    // inputs, weights, biases
std::vector<TensorInfo> results(const RecursiveProblem&);    // states
std::vector<TensorInfo> upstream(const RecursiveProblem&);   // gradients of all states of all nodes: "dh"
std::vector<TensorInfo> gradients(const RecursiveProblem&);  // of the inputs, "dx", and of weights, "U_i.gradient"
double forward_flops(const RecursiveProblem&);
double backward_flops(const RecursiveProblem&);
double forward_bound(const RecursiveProblem&);
double backward_bound(const RecursiveProblem&);
// The same for any cell and forest: recursive_tensors.hpp, recursive_flops.hpp and recursive_bounds.hpp.

}  // namespace recursive_ops

struct RecursiveOp {
  using Problem = RecursiveProblem;
  static constexpr std::string_view primitive = "recursive";
  static constexpr std::nullptr_t images = nullptr;
  static constexpr bool sum_of_products = false;
  static constexpr bool bound_of_whole = true;

  static std::int64_t terms(const Problem&);
  static void settle(const Problem& p, PlainTensors& in) { recursive_ops::settle(p.cell(), p.H, in); }
};

struct RecursiveInferenceOp : RecursiveOp {
  static constexpr std::string_view pass = "inference";
  static std::vector<TensorInfo> inputs(const Problem& p) { return recursive_ops::sources(p); }
  static std::vector<TensorInfo> outputs(const Problem& p) { return recursive_ops::results(p); }
  static double flops(const Problem& p) { return recursive_ops::forward_flops(p); }
  static double bound(const Problem& p) { return recursive_ops::forward_bound(p); }
  static void reference(const Problem&, const PlainTensors& in, PlainTensors& out);
};

// Forward, then all gradients: the step of training without the update of the weights.
struct RecursiveTrainingOp : RecursiveOp {
  static constexpr std::string_view pass = "training";
  static std::vector<TensorInfo> inputs(const Problem&);  // sources and upstream
  static std::vector<TensorInfo> outputs(const Problem& p) { return recursive_ops::gradients(p); }
  static double flops(const Problem& p) { return recursive_ops::forward_flops(p) + recursive_ops::backward_flops(p); }
  static double bound(const Problem& p) { return recursive_ops::backward_bound(p); }
  static void reference(const Problem&, const PlainTensors& in, PlainTensors& out);
};

}  // namespace brickwork
