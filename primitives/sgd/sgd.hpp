// A step of stochastic gradient descent on the host, on arrays of any alignment.
#pragma once
#include <cstdint>

#include "primitives/elementwise/elementwise_plan.hpp"
#include "primitives/sgd/op/sgd_op.hpp"

namespace brickwork {

struct SgdInputs {
  const float *weights, *velocity, *gradient;
};
struct SgdOutputs {
  float *weights, *velocity;  // may be the inputs, as in training
};

void sgd(const SgdStep&, const SgdInputs&, const SgdOutputs&, std::int64_t size, const ElementwisePlan&);

}  // namespace brickwork
