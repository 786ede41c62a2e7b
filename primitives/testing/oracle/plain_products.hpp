// Sums of products as the plainest loops over plain tensors: convolutions, fully connected layers and the brick. They
// share no code with the drivers and none with the operations' definitions.
#pragma once
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/fc/op/fc_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

// Tensors by the names that the operations give them (conv_forward_op.hpp and so on).
//
// Whether a tap beside the image is a product with zero or none is nobody's promise: where what it would be multiplied
// by is not finite the output may be NaN or the sum without it.
Outcomes conv_forward(const ConvProblem&, const PlainTensors& in);
Outcomes conv_backward_data(const ConvProblem&, const PlainTensors& in);
Outcomes conv_weight_update(const ConvProblem&, const PlainTensors& in);

Outcomes fc_forward(const FcProblem&, const PlainTensors& in);
Outcomes fc_backward_data(const FcProblem&, const PlainTensors& in);
Outcomes fc_weight_update(const FcProblem&, const PlainTensors& in);

}  // namespace brickwork::oracle
