#include "primitives/recursive/op/cell.hpp"

#include <algorithm>
#include <stdexcept>

namespace brickwork {

Weight Cell::weight(std::string name) {
  weights_.push_back(std::move(name));
  return {static_cast<int>(weights_.size()) - 1};
}

Expr Cell::bias(std::string name) {
  biases_.push_back(std::move(name));
  return put(graph_.given(ExprKind::bias, static_cast<int>(biases_.size()) - 1, Over::nothing));
}

Expr Cell::new_input(Input input) {
  inputs_.push_back(std::move(input));
  return put(graph_.given(ExprKind::input, static_cast<int>(inputs_.size()) - 1, Over::node, inputs_.back().matrix));
}

State Cell::new_state(std::string name, bool matrix) {
  states_.push_back({.name = std::move(name), .matrix = matrix});
  return {this, static_cast<int>(states_.size()) - 1};
}

Expr Cell::child_of(State state, int position) {
  const bool matrix = states_[static_cast<std::size_t>(state.which)].matrix;
  if (position < 0) return put(graph_.given(ExprKind::each, state.which, Over::edge, matrix));
  positions_ = std::max(positions_, position + 1);
  return put(graph_.given(ExprKind::child, state.which, Over::node, matrix, position));
}

// The expression for a node that has no children.
int Cell::without_children(int e) {
  const ExprNode node = graph_[e];
  switch (node.kind) {
    case ExprKind::child:
    case ExprKind::each:
    case ExprKind::sum_of_children:
      return graph_.zero(node.matrix);
    case ExprKind::times_weight:
      return graph_.times_weight(without_children(node.a), node.which);
    case ExprKind::times_matrix:
      return graph_.times_matrix(without_children(node.a), without_children(node.b));
    default:
      break;
  }
  if (node.a < 0) return e;
  if (node.b < 0) return graph_.unary(node.kind, without_children(node.a));
  return graph_.binary(node.kind, without_children(node.a), without_children(node.b));
}

Cell::StateOf& Cell::state_for(State state, Expr value) {
  StateOf& of = states_[static_cast<std::size_t>(state.which)];
  if (graph_[value.e].matrix != of.matrix) throw std::logic_error("state " + of.name + " mixes a row and a matrix");
  return of;
}

void Cell::set(State state, Expr value) {
  StateOf& of = state_for(state, value);
  if (of.value >= 0) throw std::logic_error("state " + of.name + " is set twice");
  if (graph_[value.e].over == Over::edge) {
    throw std::logic_error("state " + of.name + " has a value for each child: sum over the children");
  }
  of.value = value.e;
  if (!of.own_leaf) of.leaf_value = without_children(value.e);
}

void Cell::set_leaf(State state, Expr value) {
  StateOf& of = state_for(state, value);
  of.leaf_value = without_children(value.e);
  of.own_leaf = true;
}

std::vector<int> Cell::needed(bool leaf) const {
  std::vector<bool> used(static_cast<std::size_t>(graph_.size()));
  for (const StateOf& state : states_) {
    const int value = leaf ? state.leaf_value : state.value;
    if (value < 0) throw std::logic_error("state " + state.name + " has no value");
    used[static_cast<std::size_t>(value)] = true;
  }
  std::vector<int> needed;
  for (int e = graph_.size(); e-- > 0;) {
    if (!used[static_cast<std::size_t>(e)]) continue;
    const ExprNode& node = graph_[e];
    if (!leaf && node.kind == ExprKind::input && inputs_[static_cast<std::size_t>(node.which)].of_leaves) {
      throw std::logic_error("an input of leaves stands in the value of a node that is none");
    }
    needed.push_back(e);
    for (const int argument : {node.a, node.b}) {
      if (argument >= 0) used[static_cast<std::size_t>(argument)] = true;
    }
  }
  std::ranges::reverse(needed);
  return needed;
}

Expr each(State state) { return state.cell->child_of(state, -1); }
Expr child(State state, int position) { return state.cell->child_of(state, position); }
Expr sum_over_children(Expr x) { return x.cell->put(x.cell->graph().sum_of_children(x.e)); }
Expr operator*(Expr x, Weight weight) { return x.cell->put(x.cell->graph().times_weight(x.e, weight.which)); }
Expr product(Expr row, Expr matrix) { return row.cell->put(row.cell->graph().times_matrix(row.e, matrix.e)); }

namespace {

Expr binary(ExprKind kind, Expr x, Expr y) { return x.cell->put(x.cell->graph().binary(kind, x.e, y.e)); }
Expr unary(ExprKind kind, Expr x) { return x.cell->put(x.cell->graph().unary(kind, x.e)); }

}  // namespace

Expr operator*(Expr x, Expr y) { return binary(ExprKind::multiply, x, y); }
Expr operator+(Expr x, Expr y) { return binary(ExprKind::add, x, y); }
Expr operator-(Expr x, Expr y) { return binary(ExprKind::subtract, x, y); }
Expr one_minus(Expr x) { return unary(ExprKind::one_minus, x); }
Expr sigmoid(Expr x) { return unary(ExprKind::sigmoid, x); }
Expr tanh(Expr x) { return unary(ExprKind::tanh, x); }
Expr relu(Expr x) { return unary(ExprKind::relu, x); }

}  // namespace brickwork
