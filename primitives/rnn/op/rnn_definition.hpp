// The definition of recurrent layers, step by step from the cells' formulas (rnn_cell.hpp), in double.
#pragma once
#include "primitives/op/plain_tensors.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// `in` and `out` hold the f64 tensors that rnn_ops.hpp names. `out` gets y, hT, cT; with `gradients` it gets all
// gradients instead. Throws std::invalid_argument if a sequence length is wrong.
void define_rnn(const RnnProblem&, const PlainTensors& in, PlainTensors& out, bool gradients);

}  // namespace brickwork
