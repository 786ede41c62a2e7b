// The gradients of a cell as expressions, by reverse-mode differentiation of its graph.
#pragma once
#include <utility>
#include <vector>

#include "primitives/recursive/op/cell.hpp"

namespace brickwork {

struct CellGradients {
  // Gradient of a sum of products: rows of `operand`, once per node or edge, and of `gradient`.
  struct OfWeight {
    int weight;
    Over over;
    bool matrix;
    int operand, gradient;
  };

  ExprGraph graph;                          // of the gradients; ExprKind::kept refers to the cell's graph
  std::vector<int> states;                  // of each child's states, over edges; -1: none
  std::vector<std::pair<int, int>> inputs;  // (input, gradient)
  std::vector<std::pair<int, int>> biases;  // (bias, gradient, over nodes)
  std::vector<OfWeight> weights;
};

// `values` are the expressions of the states: those of inner nodes or of leaves.
CellGradients differentiate(const Cell&, const std::vector<int>& values);

}  // namespace brickwork
