// Expressions of a recursive cell: a graph of small operations over the features of a node.
//
// A value has one row of H features, or is a matrix of H rows (a state of MV-RNN). It exists once (of weights alone),
// once per node, or once per edge, which is a pair of a node and one of its children.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace brickwork {

enum class ExprKind : std::uint8_t {
  zero,
  // Given values; `which` numbers the cell's inputs, biases, weights or states.
  input,  // the node's row, or the leaf's
  bias,   // one row for all nodes
  child,  // the state of the child at `position`; zero if there is no such child
  each,   // the state of the edge's child
  // Over the children, and back.
  sum_of_children,  // of an edge's value a, for the node
  at_position,      // for an edge: the node's value a if its child stands at `position`, else zero
  // Products with matrices. A row is multiplied from the left: a * U.
  times_weight,             // each row of a, times weight `which`
  times_weight_transposed,  // each row of a, times the transposed weight
  times_matrix,             // the row a, times the matrix b
  times_matrix_transposed,  // the row a, times the transposed matrix b
  outer,                    // the matrix of the products of the row a (its rows) with the row b (its columns)
  // Element by element.
  add,
  subtract,
  multiply,
  one_minus,
  sigmoid,
  tanh,
  relu,
  // Element by element, in gradients; a is what the curve returned.
  sigmoid_slope,   // a (1 - a)
  tanh_slope,      // 1 - a a
  where_positive,  // zero where a <= 0, else b: also where a is NaN
  // In gradients only.
  upstream,  // the gradient of the node's own state `which`
  kept,      // the forward pass's value of expression `which`
};

enum class Over : std::uint8_t { nothing, node, edge };

struct ExprNode {
  ExprKind kind = ExprKind::zero;
  int a = -1, b = -1;  // arguments: numbers in the graph, lower than the expression's own
  int which = -1;
  int position = -1;
  Over over = Over::nothing;
  bool matrix = false;

  friend bool operator==(const ExprNode&, const ExprNode&) = default;
};

bool is_product(ExprKind);  // one of those with matrices, except outer

// Arguments stand before what uses them. Equal expressions exist once. Expressions of zeros become zero, and sums and
// products with them are shortened.
class ExprGraph {
 public:
  const ExprNode& operator[](int e) const { return nodes_[static_cast<std::size_t>(e)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  int zero(bool matrix = false) { return put({.kind = ExprKind::zero, .matrix = matrix}); }
  int given(ExprKind kind, int which, Over over, bool matrix = false, int position = -1) {
    return put({.kind = kind, .which = which, .position = position, .over = over, .matrix = matrix});
  }
  int times_weight(int a, int which) { return product(ExprKind::times_weight, a, which); }
  int times_weight_transposed(int a, int which) { return product(ExprKind::times_weight_transposed, a, which); }
  int times_matrix(int a, int b, bool transposed = false);
  int outer(int a, int b);
  int sum_of_children(int a);
  int at_position(int a, int position);
  int unary(ExprKind, int a);
  int binary(ExprKind, int a, int b);

 private:
  int product(ExprKind, int a, int which);
  int put(const ExprNode&);
  bool is_zero(int e) const { return (*this)[e].kind == ExprKind::zero; }

  std::vector<ExprNode> nodes_;
  std::map<std::tuple<ExprKind, int, int, int, int, bool>, int> numbers_;
};

}  // namespace brickwork
