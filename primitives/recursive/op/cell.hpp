// The description of a recursive cell: how a node's states follow from its inputs and from its children's states. The
// definition, the forward and backward passes, their work and their bytes come from this description alone.
//
// A child-sum TreeLSTM reads
//
//   const State h = cell.state("h"), c = cell.state("c");
//   const Expr sum = sum_over_children(each(h));
//   const Expr i = sigmoid(cell.input("x_i") + sum * cell.weight("U_i") + cell.bias("b_i"));
//   ...
//   const Expr f = sigmoid(cell.input("x_f") + each(h) * cell.weight("U_f") + cell.bias("b_f"));
//   const Expr new_c = i * u + sum_over_children(f * each(c));
//   cell.set(c, new_c);
//   cell.set(h, o * tanh(new_c));
//
// Each value is a row of H features or, as a state of MV-RNN, a matrix of H x H. A row is multiplied with a weight
// H x H from the right: x * U. cells.cpp has the models of the literature.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "primitives/recursive/op/expression.hpp"
#include "primitives/recursive/structures/forest.hpp"

namespace brickwork {

class Cell;

struct Expr {
  Cell* cell;
  int e;  // its number in the cell's graph
};
struct State {
  Cell* cell;
  int which;
};
struct Weight {
  int which;
};

class Cell {
 public:
  // A node has at most `most_children` children; 0: any number.
  Cell(std::string name, StructureKind kind, int most_children)
      : name_(std::move(name)), kind_(kind), most_children_(most_children) {}
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  // The tensors, in the order in which the cell names them.
  Expr input(std::string name) { return new_input({.name = std::move(name)}); }  // a row of each node
  Expr leaf_input(std::string name) { return new_input({.name = std::move(name), .of_leaves = true}); }
  Expr leaf_matrix(std::string name) { return new_input({.name = std::move(name), .of_leaves = true, .matrix = true}); }
  Weight weight(std::string name);
  Expr bias(std::string name);
  State state(std::string name) { return new_state(std::move(name), false); }
  State matrix_state(std::string name) { return new_state(std::move(name), true); }

  // The value of a state. Leaves have the same, with zeros for their children's states, unless set_leaf() gives
  // another. Throws std::logic_error if a state is set twice, if a state's value exists once per child, or if only one
  // of a state and its value is a matrix.
  void set(State, Expr value);
  void set_leaf(State, Expr value);

  struct Input {
    std::string name;
    bool of_leaves = false, matrix = false;
  };
  struct StateOf {
    std::string name;
    bool matrix = false;
    int value = -1, leaf_value = -1;  // numbers in graph()
    bool own_leaf = false;            // set by set_leaf()
  };

  const std::string& name() const { return name_; }
  StructureKind kind() const { return kind_; }
  int most_children() const { return most_children_; }
  int positions() const { return positions_; }  // one more than the highest k of a child(state, k)
  const ExprGraph& graph() const { return graph_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<std::string>& weights() const { return weights_; }
  const std::vector<std::string>& biases() const { return biases_; }
  const std::vector<StateOf>& states() const { return states_; }
  // The expressions that the states of a leaf, or of another node, need. Arguments stand before what uses them. Throws
  // std::logic_error if a state has no value, or if the value of a node that is no leaf has an input of leaves.
  std::vector<int> needed(bool leaf) const;

  // Used by the functions below.
  ExprGraph& graph() { return graph_; }
  Expr put(int e) { return {this, e}; }
  Expr child_of(State, int position);

 private:
  Expr new_input(Input);
  State new_state(std::string name, bool matrix);
  int without_children(int e);
  StateOf& state_for(State, Expr value);

  std::string name_;
  StructureKind kind_;
  int most_children_, positions_ = 0;
  ExprGraph graph_;
  std::vector<Input> inputs_;
  std::vector<std::string> weights_, biases_;
  std::vector<StateOf> states_;
};

// The children's states: of each of them, of the one at a position (from 0; zeros if there is none), and the sum.
Expr each(State);
Expr child(State, int position);
Expr sum_over_children(Expr of_each);
inline Expr sum_over_children(State state) { return sum_over_children(each(state)); }

Expr operator*(Expr, Weight);  // each row times the weight
Expr product(Expr row, Expr matrix);
Expr operator*(Expr, Expr);  // this and those below: element by element
Expr operator+(Expr, Expr);
Expr operator-(Expr, Expr);
Expr one_minus(Expr);
Expr sigmoid(Expr);
Expr tanh(Expr);
Expr relu(Expr);

}  // namespace brickwork
