// Attention as plain loops.
#pragma once
#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

// Steps after a sequence's end are not used; their weights and gradients are 0.
Outcomes attention_forward(const AttentionProblem&, const PlainTensors& in);
Outcomes attention_backward(const AttentionProblem&, const PlainTensors& in);

}  // namespace brickwork::oracle
