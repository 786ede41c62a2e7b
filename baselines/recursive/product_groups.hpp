// The products of a recursive cell with its weights, put together as in programs that call a library: products of the
// same operands are one product with the weights side by side, and a sum of products is one product of the operands
// side by side.
#pragma once
#include <vector>

#include "primitives/recursive/op/cell.hpp"

namespace brickwork {

// Sums over the same operands. Without operands: inputs, or their products, with a bias, to be added side by side.
struct ProductGroup {
  struct Sum {
    int root;                  // the sum's expression
    std::vector<int> weights;  // of each operand
    int bias = -1;
    std::vector<int> others;  // further terms
  };
  Over over = Over::node;  // or edge
  bool matrix = false;
  std::vector<int> operands;  // expressions
  std::vector<Sum> sums;

  bool has_bias() const;
};

struct ProductGroups {
  struct OfExpression {
    int group = -1, sum = -1;  // whose root it is
    bool inside = false;       // a sum, in which it has no other user
  };
  std::vector<ProductGroup> groups;
  std::vector<OfExpression> of;         // by expression
  std::vector<std::vector<int>> users;  // of an expression: expressions, and kState for each state that it is
  static constexpr int kState = -1;
};
ProductGroups product_groups(const Cell&, bool leaf);

// Products of an input alone wait for no child: they can be made for all nodes at once.
bool is_outside_product(const Cell&, const ExprNode&);
struct OutsideProduct {
  int input;
  std::vector<int> weights;
};
std::vector<OutsideProduct> outside_products(const Cell&);

inline int value_of(const Cell::StateOf& state, bool leaf) { return leaf ? state.leaf_value : state.value; }
inline Over over_items(const ExprNode& e) { return e.over == Over::edge ? Over::edge : Over::node; }

}  // namespace brickwork
