// Batch normalisation as plain loops.
#pragma once
#include "primitives/batch_norm/op/batch_norm_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

// If a channel's values are not all finite, its mean may be either infinity or NaN, depending on the order of its sums.
// Its variance is NaN.
Outcomes norm_forward(const BatchNormProblem&, const PlainTensors& in);
Outcomes norm_inference(const BatchNormProblem&, const PlainTensors& in);
// If f32 does not decide on which side of the ReLU an element is, its gradient may pass or not.
Outcomes norm_backward(const BatchNormProblem&, const PlainTensors& in);

}  // namespace brickwork::oracle
