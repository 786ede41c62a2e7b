// What the oneDNN chain does for the nodes of a level, from a cell's expressions: products, each of which is one
// matmul, and between them loops element by element.
#pragma once
#include <utility>
#include <vector>

#include "baselines/onednn/element_rows.hpp"
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

// [operands beside each other] times a matrix of weights, H columns for each sum that has these operands.
struct Product {
  struct Column {
    std::vector<int> weights;  // of each operand
    int bias = -1;
    friend bool operator==(const Column&, const Column&) = default;
  };
  Over over = Over::node;
  bool matrix = false;
  std::vector<int> operands;  // expressions
  std::vector<Column> columns;
};

// Elements come first, then the products that need them.
struct Step {
  std::vector<Element> elements;
  std::vector<int> products;
};

struct LevelProgram {
  std::vector<Product> products;
  std::vector<Step> steps;
  std::vector<std::pair<Over, bool>> scratch,
      level;  // the values that lie there: whether per node or edge, and matrices
};

// Products of inputs alone do not wait for any child: they are made for all nodes before the levels.
struct CellPrograms {
  std::vector<Product> outside;  // an operand is the number of an input
  LevelProgram inner, leaves;
};
CellPrograms level_programs(const Cell&);

}  // namespace brickwork::onednn
