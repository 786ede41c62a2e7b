// Additions, steps of gradient descent and the softmax's loss as plain loops.
#pragma once
#include "primitives/add/op/add_problem.hpp"
#include "primitives/sgd/op/sgd_op.hpp"
#include "primitives/softmax_loss/op/softmax_loss_ops.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

Outcomes add_forward(const AddProblem&, const PlainTensors& in);
Outcomes add_backward(const AddProblem&, const PlainTensors& in);

Outcomes sgd_update(const SgdProblem&, const SgdStep&, const PlainTensors& in);

// A row in which an infinity is the largest has no loss and no gradient: inf - inf is NaN. Losses are added up in f64
// and rounded once.
Outcomes softmax_loss(const SoftmaxLossProblem&, const PlainTensors& in);
Outcomes softmax_gradient(const SoftmaxLossProblem&, const PlainTensors& in);

// e^x / the sum of all of them, of scores that are added up in f32: each may lie anywhere in its interval, but no score
// is less or more than itself. An exponential is right to 4e-7 + 2e-7 |x|, relatively, and 0 from -80 on, or nearly.
Intervals softmax(const Intervals& scores);

}  // namespace brickwork::oracle
