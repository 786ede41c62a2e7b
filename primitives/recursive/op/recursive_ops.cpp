#include "primitives/recursive/op/recursive_ops.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "primitives/op/rounding.hpp"
#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/recursive_flops.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork {
namespace {

using Infos = std::vector<TensorInfo>;

bool has_kind(const Cell& cell, ExprKind kind) {
  const std::vector<int> needed = cell.needed(false);
  return std::ranges::any_of(needed, [&](int e) { return cell.graph()[e].kind == kind; });
}

Infos allowing_for_few(Infos outputs, double bound) {
  for (TensorInfo& info : outputs) allow_for_few(info, info.size(), bound);
  return outputs;
}

}  // namespace

namespace recursive_ops {

Infos sources(const RecursiveProblem& p) { return sources(p.cell(), p.H, *p.forest()); }
Infos results(const RecursiveProblem& p) {
  return allowing_for_few(results(p.cell(), p.H, *p.forest()), forward_bound(p));
}
Infos upstream(const RecursiveProblem& p) { return upstream(p.cell(), p.H, *p.forest()); }
Infos gradients(const RecursiveProblem& p) {
  return allowing_for_few(gradients(p.cell(), p.H, *p.forest()), backward_bound(p));
}
double forward_flops(const RecursiveProblem& p) { return forward_flops(p.cell(), p.H, *p.forest()); }
double backward_flops(const RecursiveProblem& p) { return backward_flops(p.cell(), p.H, *p.forest()); }

// With the weights of settle() a node takes over at most as much of its children's errors as of their values, so that
// errors do not add up over levels.
double forward_bound(const RecursiveProblem& p) { return rounding(static_cast<double>(RecursiveOp::terms(p))); }

// Gradients of weights are sums over all rows that are multiplied with them: one a node or edge, H if it is a matrix.
double backward_bound(const RecursiveProblem& p) {
  const auto forest = p.forest();
  const bool matrices = std::ranges::any_of(p.cell().states(), &Cell::StateOf::matrix);
  const auto rows = static_cast<double>(std::max(forest->nodes(), forest->edges()));
  const double sums = 2 * forward_bound(p) + rounding(matrices ? rows * static_cast<double>(p.H) : rows);
  return has_kind(p.cell(), ExprKind::relu) ? sums + kink(forward_bound(p)) : sums;
}

}  // namespace recursive_ops

// No sum of a cell has more than two products.
std::int64_t RecursiveOp::terms(const Problem& p) { return 2 * p.H; }

void recursive_ops::settle(const Cell& cell, std::int64_t features, PlainTensors& in) {
  const auto H = static_cast<double>(features);
  const auto scale = [&](const std::string& name, double by) {
    for (double& x : in.values<double>(name)) x *= by;
  };
  // The variance of weights becomes 1 / (2 H), as two products are added; a ReLU halves what is before it. Values
  // from [-1, 1) have the variance 1 / 3.
  const double variance = (has_kind(cell, ExprKind::relu) ? 2.0 : 1.0) / (2 * H);
  for (const std::string& weight : cell.weights()) scale(weight, std::sqrt(3 * variance));
  for (const std::string& bias : cell.biases()) scale(bias, 0.5);
  // A row of such values times a matrix is then about 1.
  for (const Cell::Input& input : cell.inputs()) {
    if (input.matrix) scale(input.name, 3 / std::sqrt(H));
  }
}

void RecursiveInferenceOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  define_recursive_forward(p.cell(), p.H, *p.forest(), in, out);
}

Infos RecursiveTrainingOp::inputs(const Problem& p) {
  Infos infos = recursive_ops::sources(p);
  std::ranges::copy(recursive_ops::upstream(p), std::back_inserter(infos));
  return infos;
}

void RecursiveTrainingOp::reference(const Problem& p, const PlainTensors& in, PlainTensors& out) {
  define_recursive_backward(p.cell(), p.H, *p.forest(), in, out);
}

}  // namespace brickwork
