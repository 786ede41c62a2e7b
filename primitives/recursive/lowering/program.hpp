// A cell, lowered: what a thread does for the nodes of a level, as data.
//
// The nodes of a level pass through stages; all threads meet after each. A stage first fills operands, the rows of A of
// its products, with all features. Then, for each block of bk features, it makes one brick call for each sum of
// products, and runs its tape: operations element by element on the sums while they are hot.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "primitives/recursive/op/cell.hpp"

namespace brickwork {

enum class TapeOp : std::uint8_t {
  copy,
  add,
  subtract,
  multiply,
  multiply_add,  // a b + c
  one_minus,
  sigmoid,  // this and the next two: of a + b + c
  tanh,
  relu,
  sigmoid_slope,
  tanh_slope,
  where_positive,
  sum_of_children,
  add_uses,     // a plus the rows b of all edges that lead to the node
  at_position,  // the node's a for the edge at `position`, else zero
  outer,
};

// Memory with one row (of a matrix: H rows) per node or edge.
enum class ArrayKind : std::uint8_t {
  // A user's tensors, by the forest's numbers.
  input,
  upstream,
  input_gradient,
  bias,  // one row
  // By place.
  state,
  state_gradient,  // of the child's state, by edge
  value,           // of an expression: kept for backward, computed before all levels, or a row of a weight update
  crossing,        // of an expression, from one stage to the next of a level
};

enum class RowsOf : std::uint8_t { all, inner, leaves };  // the nodes for which a value exists

struct ArrayInfo {
  ArrayKind kind;
  int which = -1;  // of the cell's inputs, biases or states
  Over over = Over::node;
  bool matrix = false, of_leaves = false;  // of_leaves: a user's tensor with rows for leaves only
  RowsOf rows = RowsOf::all;
};

// How an operation on nodes or edges finds the row of an operand.
enum class RowMode : std::uint8_t {
  own,             // of the node or edge itself
  only,            // the same row for all
  parent,          // edge: of its node
  child,           // edge: of its child
  position,        // node: of the child at a position
  number,          // node: by its number in the forest, or as a leaf
  parents_number,  // edge: by the number of its node
  parents_child,   // edge: of the child of its node at a position
};

enum class Place : std::uint8_t { zero, temporary, sum, operand, array };

struct Ref {
  Place place = Place::zero;
  int index = -1;
  RowMode mode = RowMode::only;
  int position = -1;
  Over over = Over::nothing;  // whose rows the place has

  friend bool operator==(const Ref&, const Ref&) = default;
};

struct Instruction {
  TapeOp op;
  Over over;  // it runs once per node or edge
  bool matrix;
  Ref to, a, b, c;
  int position = -1;
};
using Tape = std::vector<Instruction>;

struct Operand {
  Over over;
  bool matrix;
  Tape tape;  // ends with writing the operand
};

enum class CallKind : std::uint8_t { weights, matrix, matrix_transposed };

struct Term {
  int operand;
  int weight = -1;
  bool transposed = false;
};

// sum = sum over the terms of operand * weight; or operand * a matrix of the same node.
struct Call {
  CallKind kind;
  Over over;
  bool matrix;  // the sum is a matrix
  int sum;
  std::vector<Term> terms;
  Ref factor;  // the matrix; not for weights
};

struct Stage {
  std::vector<Operand> operands;
  std::vector<Call> calls;
  Tape tape;
  int temporaries = 0;
  int sums() const { return static_cast<int>(calls.size()); }
};
using Stages = std::vector<Stage>;

// gradient of a weight = sum over rows of (operand row)^T (gradient row); a bias has no operand.
struct Update {
  int weight = -1, bias = -1;
  Over over = Over::node;
  bool matrix = false;
  int operand = -1, gradient = -1;  // arrays
  RowsOf rows = RowsOf::all;
};

struct Program {
  std::vector<ArrayInfo> arrays;
  Stages before;  // over all nodes, before the levels
  Stages inner, leaves;
  std::vector<Update> updates;  // backward only
};

// Whether an operation finds a row in this way.
bool has(const Program&, RowMode);

// One line for each operand, call and operation.
std::string to_string(const Program&, const Cell&);

// The passes of the lowering, each of which may be left out.
struct LoweringPasses {
  bool leaves = true;  // leaves have a program of their own, in which products with zeros vanish
  bool hoist = true;   // products that depend on no child are made for all nodes at once, before the levels
  bool fuse = true;    // operations run on hot sums and operands; otherwise each has a stage of its own
};

// The programs of a cell. A forward program for training keeps what the backward program reads: the arrays of the
// backward program begin with those of the forward program.
struct Lowered {
  Program forward, backward;
};
Lowered lower(const Cell&, const LoweringPasses&, bool training);

}  // namespace brickwork
