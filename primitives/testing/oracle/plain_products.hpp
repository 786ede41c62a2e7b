// Sums of products as plain loops over plain tensors: convolutions and fully connected layers. They share no code with
// the drivers or with the operations' definitions.
#pragma once
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/fc/op/fc_problem.hpp"
#include "primitives/testing/oracle/outcome.hpp"

namespace brickwork::oracle {

// Tensors have the names of the operations (conv_forward_op.hpp and so on).
//
// A driver may multiply by the zeros beside an image, or skip them. If the other factor is not finite, the output may
// therefore be NaN, or the sum without this tap.
Outcomes conv_forward(const ConvProblem&, const PlainTensors& in);
Outcomes conv_backward_data(const ConvProblem&, const PlainTensors& in);
Outcomes conv_weight_update(const ConvProblem&, const PlainTensors& in);

Outcomes fc_forward(const FcProblem&, const PlainTensors& in);
Outcomes fc_backward_data(const FcProblem&, const PlainTensors& in);
Outcomes fc_weight_update(const FcProblem&, const PlainTensors& in);

}  // namespace brickwork::oracle
