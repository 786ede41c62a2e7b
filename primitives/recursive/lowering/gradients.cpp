#include "primitives/recursive/lowering/gradients.hpp"

#include <map>

namespace brickwork {
namespace {

using Kind = ExprKind;

class Differentiation {
 public:
  Differentiation(const Cell& cell, CellGradients& to) : cell_(cell), from_(cell.graph()), to_(to), g_(to.graph) {
    to_.states.assign(cell.states().size(), -1);
  }

  void run(const std::vector<int>& values) {
    for (std::size_t s = 0; s < values.size(); ++s) {
      add(values[s], g_.given(Kind::upstream, static_cast<int>(s), Over::node, cell_.states()[s].matrix));
    }
    while (!gradient_.empty()) {  // from what is used to what it uses
      const auto last = std::prev(gradient_.end());
      const auto [e, gradient] = *last;
      gradient_.erase(last);
      pass_on(e, gradient);
    }
  }

 private:
  // The forward pass's value of e. Curves and products are kept; the rest is made again.
  int value(int e) {
    const ExprNode& node = from_[e];
    switch (node.kind) {
      case Kind::zero:
        return g_.zero(node.matrix);
      case Kind::input:
      case Kind::bias:
      case Kind::child:
      case Kind::each:
        return g_.given(node.kind, node.which, node.over, node.matrix, node.position);
      case Kind::sum_of_children:
        return g_.sum_of_children(value(node.a));
      case Kind::one_minus:
        return g_.unary(node.kind, value(node.a));
      case Kind::add:
      case Kind::subtract:
      case Kind::multiply:
        return g_.binary(node.kind, value(node.a), value(node.b));
      default:
        return g_.given(Kind::kept, e, node.over, node.matrix);
    }
  }

  // Adds to the gradient of e. A value that exists once per node, or once, gets the sum over the node's children.
  void add(int e, int gradient) {
    if (from_[e].kind == Kind::zero) return;
    if (g_[gradient].over == Over::edge && from_[e].over != Over::edge) gradient = g_.sum_of_children(gradient);
    const auto [at, first] = gradient_.emplace(e, gradient);
    if (!first) at->second = g_.binary(Kind::add, at->second, gradient);
  }

  void add_to_state(int which, int gradient) {
    int& of = to_.states[static_cast<std::size_t>(which)];
    of = of < 0 ? gradient : g_.binary(Kind::add, of, gradient);
  }

  int times(int a, int b) { return g_.binary(Kind::multiply, a, b); }
  int negative(int a) { return g_.binary(Kind::subtract, g_.zero(g_[a].matrix), a); }

  void pass_on(int e, int gradient) {
    const ExprNode node = from_[e];
    switch (node.kind) {
      case Kind::input:
        return to_.inputs.emplace_back(node.which, gradient), void();
      case Kind::bias:
        return to_.biases.emplace_back(node.which, gradient), void();
      case Kind::child:
        return add_to_state(node.which, g_.at_position(gradient, node.position));
      case Kind::each:
        return add_to_state(node.which, gradient);
      case Kind::sum_of_children:
        return add(node.a, gradient);
      case Kind::times_weight:
        to_.weights.push_back({node.which, node.over, node.matrix, value(node.a), gradient});
        return add(node.a, g_.times_weight_transposed(gradient, node.which));
      case Kind::times_matrix:
        add(node.a, g_.times_matrix(gradient, value(node.b), /*transposed=*/true));
        return add(node.b, g_.outer(value(node.a), gradient));
      case Kind::add:
        add(node.a, gradient);
        return add(node.b, gradient);
      case Kind::subtract:
        add(node.a, gradient);
        return add(node.b, negative(gradient));
      case Kind::multiply:
        add(node.a, times(gradient, value(node.b)));
        return add(node.b, times(gradient, value(node.a)));
      case Kind::one_minus:
        return add(node.a, negative(gradient));
      case Kind::sigmoid:
        return add(node.a, times(gradient, g_.unary(Kind::sigmoid_slope, value(e))));
      case Kind::tanh:
        return add(node.a, times(gradient, g_.unary(Kind::tanh_slope, value(e))));
      case Kind::relu:
        return add(node.a, g_.binary(Kind::where_positive, value(e), gradient));
      default:
        return;  // a zero, or an expression that occurs only in gradients
    }
  }

  const Cell& cell_;
  const ExprGraph& from_;
  CellGradients& to_;
  ExprGraph& g_;
  std::map<int, int> gradient_;  // of expressions of the cell that are not passed on yet
};

}  // namespace

CellGradients differentiate(const Cell& cell, const std::vector<int>& values) {
  CellGradients gradients;
  Differentiation(cell, gradients).run(values);
  return gradients;
}

}  // namespace brickwork
