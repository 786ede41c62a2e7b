#include "primitives/recursive/op/recursive_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "primitives/op/rounding.hpp"

namespace brickwork::recursive_ops {
namespace {

bool has_relu(const Cell& cell) {
  const std::vector<int> needed = cell.needed(false);
  return std::ranges::any_of(needed, [&](int e) { return cell.graph()[e].kind == ExprKind::relu; });
}

}  // namespace

void settle(const Cell& cell, std::int64_t features, PlainTensors& in) {
  const auto H = static_cast<double>(features);
  const auto scale = [&](const std::string& name, double by) {
    for (double& x : in.values<double>(name)) x *= by;
  };
  // The variance of weights becomes 1 / (2 H), as two products are added; a ReLU halves what is before it. Values
  // from [-1, 1) have the variance 1 / 3.
  const double variance = (has_relu(cell) ? 2.0 : 1.0) / (2 * H);
  for (const std::string& weight : cell.weights()) scale(weight, std::sqrt(3 * variance));
  for (const std::string& bias : cell.biases()) scale(bias, 0.5);
  // A row of such values times a matrix is then about 1.
  for (const Cell::Input& input : cell.inputs()) {
    if (input.matrix) scale(input.name, 3 / std::sqrt(H));
  }
}

// No sum of a cell has more than two products.
std::int64_t terms(std::int64_t H) { return 2 * H; }

// With the weights of settle() a node takes over at most as much of its children's errors as of their values, so that
// errors do not add up over levels.
double forward_bound(std::int64_t H) { return rounding(static_cast<double>(terms(H))); }

// Gradients of weights are sums over all rows that are multiplied with them: one a node or edge, H if it is a matrix.
double backward_bound(const Cell& cell, std::int64_t H, const Forest& forest) {
  const bool matrices = std::ranges::any_of(cell.states(), &Cell::StateOf::matrix);
  const auto rows = static_cast<double>(std::max(forest.nodes(), forest.edges()));
  const double sums = 2 * forward_bound(H) + rounding(matrices ? rows * static_cast<double>(H) : rows);
  return has_relu(cell) ? sums + kink(forward_bound(H)) : sums;
}

std::vector<TensorInfo> allowing_for_few(std::vector<TensorInfo> outputs, double bound) {
  for (TensorInfo& info : outputs) allow_for_few(info, info.size(), bound);
  return outputs;
}

}  // namespace brickwork::recursive_ops
