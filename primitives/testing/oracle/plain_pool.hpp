// Pooling as plain loops.
#pragma once
#include "primitives/pool/op/pool_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

// The largest value is exact. Of equal values the first counts; NaN is larger than all, and of several NaN the last
// counts.
Outcomes pool_forward(const PoolProblem&, const PlainTensors& in);
Outcomes pool_backward(const PoolProblem&, const PlainTensors& in);

}  // namespace brickwork::oracle
