// One node in the definition of a recursive cell: the cell's expressions one after the other, in double, and their
// gradients in reverse order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "primitives/recursive/op/cell.hpp"

namespace brickwork::recursive_node {

using Values = std::vector<double>;

struct Node {
  std::int32_t number = 0;
  std::int32_t leaf = 0;  // its number among the leaves, if it is one
  std::span<const std::int32_t> children;

  bool is_leaf() const { return children.empty(); }
};

// Tensors in the order in which the cell names them. States are those of all nodes.
struct Tensors {
  std::vector<const double*> inputs, weights, biases;
  std::vector<double*> states;
  std::vector<Values> transposed_weights;  // for backward
};

// The rows that were multiplied with a weight, and the gradients of these products.
struct WeightRows {
  Values rows, gradients;
};

struct Gradients {
  std::vector<double*> inputs, states;
  std::vector<Values> biases;  // sums over nodes
  std::vector<WeightRows> weights;
};

// to += rows * matrix, for `count` rows of H features.
void add_product(const double* rows, std::int64_t count, const double* matrix, std::int64_t H, double* to);

// matrix += the sum over `count` rows of (row of a)^T * (row of b), for the matrix's rows from `first` to before `end`.
void add_outer_products(const double* a, const double* b, std::int64_t count, std::int64_t H, std::int64_t first,
                        std::int64_t end, double* matrix);

Values transposed(const double* matrix, std::int64_t H);

class CellAtNode {
 public:
  CellAtNode(const Cell&, std::int64_t H, const Tensors&);

  // Sets the node's states from its children's.
  void forward(const Node&);

  // Sets the gradients of the node's inputs from those of its states, which are complete. Adds to the gradients of its
  // children's states and of biases, and appends to the rows of weights.
  void backward(const Node&, Gradients&);

 private:
  const std::vector<int>& needed(const Node& node) const { return needed_[node.is_leaf() ? 1 : 0]; }
  std::int64_t size(bool matrix) const { return matrix ? H_ * H_ : H_; }
  std::int64_t row_of(const ExprNode& input, const Node& node) const {
    return cell_.inputs()[static_cast<std::size_t>(input.which)].of_leaves ? node.leaf : node.number;
  }
  static int state_of(const Cell::StateOf& state, const Node& node) {
    return node.is_leaf() ? state.leaf_value : state.value;
  }

  void evaluate(const Node&);
  void evaluate(const ExprNode&, const Node&, Values& to);
  void evaluate_from_arguments(const ExprNode&, Values& to);
  void add_gradients(const ExprNode&, const Node&, const Values& dy, Gradients&);
  void add_gradients_of_arguments(const ExprNode&, const Values& y, const Values& dy, Gradients&);

  const Cell& cell_;
  const ExprGraph& graph_;
  const std::int64_t H_;
  const Tensors& tensors_;
  const std::vector<int> needed_[2];  // [whether the node is a leaf]
  // By expression. A value that exists once per child has a part for each, in the order of the children.
  std::vector<Values> values_, gradients_;
};

inline void add(const double* from, std::int64_t size, double* to) {
  for (std::int64_t i = 0; i < size; ++i) to[i] += from[i];
}

// The part of a value that belongs to a child. A value without parts is the same for all children.
template <class SomeValues>
auto* part_of(SomeValues& values, std::size_t child, std::int64_t size) {
  return values.data() + child * static_cast<std::size_t>(size) % values.size();
}

// The children whose states the expression takes, which is a `child` or an `each`.
inline std::span<const std::int32_t> children_taken(const ExprNode& e, const Node& node) {
  if (e.kind == ExprKind::each) return node.children;
  const auto position = static_cast<std::size_t>(e.position);
  return position < node.children.size() ? node.children.subspan(position, 1) : std::span<const std::int32_t>();
}

}  // namespace brickwork::recursive_node
