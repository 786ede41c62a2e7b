// Pooling as plain loops.
#pragma once
#include "primitives/pool/op/pool_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

// The largest is exact; of equals the first is it, and NaN is larger than all, the last one the largest.
Outcomes pool_forward(const PoolProblem&, const PlainTensors& in);
Outcomes pool_backward(const PoolProblem&, const PlainTensors& in);

}  // namespace brickwork::oracle
