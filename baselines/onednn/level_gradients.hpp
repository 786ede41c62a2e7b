// The gradients of a level, from what the level does forward: its steps in reverse order.
#pragma once
#include <vector>

#include "baselines/onednn/level_program.hpp"

namespace brickwork::onednn {

// References to gradients are those to the values that they are gradients of.
struct GradientElement {
  GradientOp op = GradientOp::add;
  Curve curve = Curve::none;
  bool adds = false;
  Over over = Over::node;
  bool matrix = false;
  Ref to, from, value;  // gradient, gradient, value
  // If set, this is a product of a row with a matrix, whose gradients go to the row `to` and to the matrix.
  const Element* times_matrix = nullptr;
};

// The gradients of products' operands come first, then elements.
struct GradientStep {
  struct OfProduct {
    int product;
    bool adds;  // to the gradients of its operands
  };
  std::vector<OfProduct> products;
  std::vector<GradientElement> elements;
};
using GradientSteps = std::vector<GradientStep>;

// The result refers to the program. Writes the gradient of each `input` of all nodes, zeros if nothing uses it.
// Gradients of states are complete before, and those of children's states are added to.
GradientSteps level_gradients(const LevelProgram&, const std::vector<int>& inputs);

// The numbers of the values in this place (inputs, for example) that element-wise loops read, sorted.
std::vector<int> read_by_elements(const LevelProgram&, Place);

}  // namespace brickwork::onednn
