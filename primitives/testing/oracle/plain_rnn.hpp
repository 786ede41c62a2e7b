// Recurrent layers as plain loops over single elements of states.
#pragma once
#include "primitives/rnn/op/rnn_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

// y, hT and cT. After a sequence's end its y is 0 and its states stay.
Outcomes rnn_forward(const RnnProblem&, const PlainTensors& in);
// The gradients of all inputs. Intervals grow from step to step, as fast as the weights let a rounding error grow.
Outcomes rnn_backward(const RnnProblem&, const PlainTensors& in);

}  // namespace brickwork::oracle
