#include "primitives/recursive/op/recursive_node.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/epilogue/activation.hpp"

namespace brickwork::recursive_node {
namespace {

double element(ExprKind kind, double a, double b) {
  switch (kind) {
    case ExprKind::add:
      return a + b;
    case ExprKind::subtract:
      return a - b;
    case ExprKind::multiply:
      return a * b;
    case ExprKind::one_minus:
      return 1 - a;
    case ExprKind::sigmoid:
      return sigmoid(a);
    case ExprKind::tanh:
      return std::tanh(a);
    case ExprKind::relu:
      return activated(Activation::relu, a);
    default:
      throw std::logic_error("a cell has an expression that is for gradients only");
  }
}

}  // namespace

// The innermost loop runs over columns: it vectorises, and every sum keeps its order.
void add_product(const double* rows, std::int64_t count, const double* matrix, std::int64_t H, double* to) {
  for (std::int64_t r = 0; r < count; ++r) {
    for (std::int64_t k = 0; k < H; ++k) {
      const double x = rows[r * H + k];
      for (std::int64_t n = 0; n < H; ++n) to[r * H + n] += x * matrix[k * H + n];
    }
  }
}

CellAtNode::CellAtNode(const Cell& cell, std::int64_t H, const Tensors& tensors)
    : cell_(cell),
      graph_(cell.graph()),
      H_(H),
      tensors_(tensors),
      needed_{cell.needed(false), cell.needed(true)},
      values_(static_cast<std::size_t>(graph_.size())),
      gradients_(values_.size()) {}

void CellAtNode::forward(const Node& node) {
  evaluate(node);
  for (std::size_t s = 0; s < cell_.states().size(); ++s) {
    const Cell::StateOf& state = cell_.states()[s];
    const Values& value = values_[static_cast<std::size_t>(state_of(state, node))];
    std::ranges::copy(value, tensors_.states[s] + node.number * size(state.matrix));
  }
}

void CellAtNode::evaluate(const Node& node) {
  for (const int e : needed(node)) {
    const std::size_t parts = graph_[e].over == Over::edge ? node.children.size() : 1;
    Values& to = values_[static_cast<std::size_t>(e)];
    to.assign(parts * static_cast<std::size_t>(size(graph_[e].matrix)), 0.0);
    evaluate(graph_[e], node, to);
  }
}

// `to` is zero before.
void CellAtNode::evaluate(const ExprNode& e, const Node& node, Values& to) {
  const std::int64_t one = size(e.matrix);
  const auto which = static_cast<std::size_t>(e.which);
  switch (e.kind) {
    case ExprKind::zero:
      return;
    case ExprKind::input:
      return add(tensors_.inputs[which] + row_of(e, node) * one, one, to.data());
    case ExprKind::bias:
      return add(tensors_.biases[which], one, to.data());
    case ExprKind::child:
    case ExprKind::each:
      for (std::size_t c = 0; const std::int32_t child : children_taken(e, node)) {
        add(tensors_.states[which] + child * one, one, part_of(to, c++, one));
      }
      return;
    default:
      evaluate_from_arguments(e, to);
  }
}

void CellAtNode::evaluate_from_arguments(const ExprNode& e, Values& to) {
  const Values& a = values_[static_cast<std::size_t>(e.a)];
  const Values& b = values_[static_cast<std::size_t>(e.b < 0 ? e.a : e.b)];
  const auto row = static_cast<std::size_t>(H_);
  switch (e.kind) {
    case ExprKind::sum_of_children:
      for (std::size_t c = 0; c < a.size() / to.size(); ++c)
        add(part_of(a, c, std::ssize(to)), std::ssize(to), to.data());
      return;
    case ExprKind::times_weight:
      return add_product(a.data(), std::ssize(a) / H_, tensors_.weights[static_cast<std::size_t>(e.which)], H_,
                         to.data());
    case ExprKind::times_matrix:
      for (std::size_t c = 0; c < to.size() / row; ++c) {
        add_product(part_of(a, c, H_), 1, part_of(b, c, H_ * H_), H_, part_of(to, c, H_));
      }
      return;
    default:
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = element(e.kind, a[i % a.size()], b[i % b.size()]);
  }
}

}  // namespace brickwork::recursive_node
