// What recurrent layers compute, step by step from the cells' formulas (rnn_problem.hpp), in double.
#pragma once
#include "primitives/op/plain_tensors.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// Of the f64 tensors that rnn_ops.hpp names: `out` gets y, hT, cT, or where asked for gradients all of them. Throws
// std::invalid_argument where a length is wrong.
void define_rnn(const RnnProblem&, const PlainTensors& in, PlainTensors& out, bool gradients);

}  // namespace brickwork
