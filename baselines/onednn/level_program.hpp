// The steps of the oneDNN chain for the nodes of a level, made from a cell's expressions. A group of products is one
// matmul; loops element by element run between the matmuls.
#pragma once
#include <vector>

#include "baselines/onednn/element_rows.hpp"
#include "baselines/recursive/product_groups.hpp"
#include "primitives/recursive/op/cell.hpp"

namespace brickwork::onednn {

// Where the row of a value lies, or its matrix of H rows, for a node or an edge.
enum class Place : std::uint8_t {
  zero,
  input,  // `which` numbers the cell's inputs, biases or states
  bias,
  child,    // the state of the child at `position`
  each,     // the state of the edge's child
  state,    // the node's own
  outside,  // product `which` before all levels, column `position`
  product,  // product `which` of the program, column `position`
  operand,  // operand `position` of product `which`
  scratch,  // of one node
  level,    // of all nodes of a level, as a later step reads it
};

struct Ref {
  Place place = Place::zero;
  int which = -1, position = -1;
  Over over = Over::nothing;
  bool matrix = false;

  friend bool operator==(const Ref&, const Ref&) = default;
};

// An operation for each node, or each edge, of a level.
struct Element {
  enum class Kind : std::uint8_t { element, sum_of_children, times_matrix };
  Kind kind = Kind::element;
  ElementOp op = ElementOp::copy;
  Curve curve = Curve::none;
  Over over = Over::node;
  bool matrix = false;
  Ref to, a, b;
};

// Elements come first, then the products that need them.
struct Step {
  std::vector<Element> elements;
  std::vector<int> products;
};

struct Value {
  Over over = Over::node;
  bool matrix = false;
};

struct LevelProgram {
  std::vector<ProductGroup> products;  // those without operands are sums of elements
  std::vector<Step> steps;
  std::vector<Value> scratch, level;  // what lies there
};

// `keeps`: nothing lies in scratch.
LevelProgram level_program(const Cell&, bool leaf, bool keeps);

}  // namespace brickwork::onednn
