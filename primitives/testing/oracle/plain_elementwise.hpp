// Additions, steps of gradient descent and the softmax loss as plain loops.
#pragma once
#include "primitives/add/op/add_problem.hpp"
#include "primitives/sgd/op/sgd_op.hpp"
#include "primitives/softmax_loss/op/softmax_loss_ops.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

Outcomes add_forward(const AddProblem&, const PlainTensors& in);
Outcomes add_backward(const AddProblem&, const PlainTensors& in);

Outcomes sgd_update(const SgdProblem&, const SgdStep&, const PlainTensors& in);

// A row with an infinite largest logit has a loss and a gradient of NaN, as inf - inf is NaN. Losses are added up in
// f64 and rounded once.
Outcomes softmax_loss(const SoftmaxLossProblem&, const PlainTensors& in);
Outcomes softmax_gradient(const SoftmaxLossProblem&, const PlainTensors& in);

// The softmax of scores that are sums in f32. Each score may lie anywhere in its interval, but it is equal to itself.
// An exponential has a relative error of 4e-7 + 2e-7 |x|, and is 0, or nearly 0, from -80 down.
Intervals softmax(const Intervals& scores);

}  // namespace brickwork::oracle
