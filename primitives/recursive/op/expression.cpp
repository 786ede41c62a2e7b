#include "primitives/recursive/op/expression.hpp"

#include <algorithm>
#include <stdexcept>

namespace brickwork {

bool is_product(ExprKind kind) {
  return kind == ExprKind::times_weight || kind == ExprKind::times_weight_transposed ||
         kind == ExprKind::times_matrix || kind == ExprKind::times_matrix_transposed;
}

int ExprGraph::put(const ExprNode& node) {
  const auto key = std::tuple(node.kind, node.a, node.b, node.which, node.position, node.matrix);
  const auto [found, added] = numbers_.emplace(key, size());
  if (added) nodes_.push_back(node);
  return found->second;
}

int ExprGraph::product(ExprKind kind, int a, int which) {
  const ExprNode of = (*this)[a];
  if (is_zero(a)) return a;
  return put({.kind = kind, .a = a, .which = which, .over = of.over, .matrix = of.matrix});
}

int ExprGraph::times_matrix(int a, int b, bool transposed) {
  const ExprNode row = (*this)[a], matrix = (*this)[b];
  if (row.matrix || !matrix.matrix) throw std::logic_error("times_matrix takes a row and a matrix");
  if (is_zero(a) || is_zero(b)) return zero();
  return put({.kind = transposed ? ExprKind::times_matrix_transposed : ExprKind::times_matrix,
              .a = a,
              .b = b,
              .over = std::max(row.over, matrix.over)});
}

int ExprGraph::outer(int a, int b) {
  const ExprNode rows = (*this)[a], columns = (*this)[b];
  if (rows.matrix || columns.matrix) throw std::logic_error("outer takes two rows");
  if (is_zero(a) || is_zero(b)) return zero(true);
  return put({.kind = ExprKind::outer, .a = a, .b = b, .over = std::max(rows.over, columns.over), .matrix = true});
}

int ExprGraph::sum_of_children(int a) {
  const ExprNode of = (*this)[a];
  if (is_zero(a)) return a;
  if (of.over != Over::edge) throw std::logic_error("a sum over children takes a value of each child");
  return put({.kind = ExprKind::sum_of_children, .a = a, .over = Over::node, .matrix = of.matrix});
}

int ExprGraph::at_position(int a, int position) {
  const ExprNode of = (*this)[a];
  if (is_zero(a)) return a;
  return put({.kind = ExprKind::at_position, .a = a, .position = position, .over = Over::edge, .matrix = of.matrix});
}

int ExprGraph::unary(ExprKind kind, int a) {
  const ExprNode of = (*this)[a];
  if (is_zero(a) && (kind == ExprKind::tanh || kind == ExprKind::relu || kind == ExprKind::sigmoid_slope)) return a;
  return put({.kind = kind, .a = a, .over = of.over, .matrix = of.matrix});
}

int ExprGraph::binary(ExprKind kind, int a, int b) {
  const ExprNode of_a = (*this)[a], of_b = (*this)[b];
  if (of_a.matrix != of_b.matrix) throw std::logic_error("a row and a matrix do not go together element by element");
  if (kind == ExprKind::add && is_zero(a)) return b;
  if ((kind == ExprKind::add || kind == ExprKind::subtract) && is_zero(b)) return a;
  if (kind == ExprKind::multiply && is_zero(a)) return a;
  if ((kind == ExprKind::multiply || kind == ExprKind::where_positive) && is_zero(b)) return b;
  return put({.kind = kind, .a = a, .b = b, .over = std::max(of_a.over, of_b.over), .matrix = of_a.matrix});
}

}  // namespace brickwork
