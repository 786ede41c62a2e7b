// Lowers expressions of one graph to stages.
#pragma once
#include <functional>
#include <vector>

#include "primitives/recursive/lowering/program.hpp"

namespace brickwork {

// An expression's value goes to an array, by place or by number.
struct Output {
  int e;
  Ref to;

  friend bool operator==(const Output&, const Output&) = default;
};

// Where the lowering finds and puts arrays.
struct ArraysOfLowering {
  std::function<Ref(const ExprNode&)> given;      // of an input, bias, state, kept value or upstream gradient
  std::function<int(int e)> made_before;          // the array of an expression that needs no stage here; or -1
  std::function<int(int e)> new_crossing;         // an array that carries an expression to a later stage
  std::function<int(int state)> state_gradients;  // the edges' gradients of a state; -1 if there are none
};

Stages lower_stages(const ExprGraph&, const std::vector<Output>&, bool fuse, const ArraysOfLowering&);

}  // namespace brickwork
