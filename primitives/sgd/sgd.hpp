// A step of stochastic gradient descent on the host, on arrays of any alignment.
#pragma once
#include <cstdint>

#include "elementwise/elementwise_plan.hpp"
#include "sgd_op.hpp"

namespace brickwork {

struct SgdInputs {
  const float *weights, *velocity, *gradient;
};
struct SgdOutputs {
  float *weights, *velocity;  // may be the inputs: training updates in place
};

void sgd(const SgdStep&, const SgdInputs&, const SgdOutputs&, std::int64_t size, const ElementwisePlan&);

}  // namespace brickwork
