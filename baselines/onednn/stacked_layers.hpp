// For libraries that take the weights of all recurrent layers as one tensor, layer behind layer.
#pragma once
#include <functional>
#include <vector>

#include "baselines/contender/contender.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {

// What prepare() makes of tensors whose weights are those of all layers under the name of the first: weights_layer.0 is
// [L][D][C][G][K]. Of one layer they are the operation's own; of several they are put together when the contender
// packs, and taken apart when it unpacks. All layers must read as many features.
using PrepareStacked = std::function<PreparedPtr(const PlainTensors&)>;
PreparedPtr stack_layers(const RnnProblem&, const PlainTensors& in, const std::vector<TensorInfo>& outputs,
                         const PrepareStacked&);

template <Operation Op>
PreparedPtr stacked_layers(const RnnProblem& p, const PlainTensors& in, const PrepareStacked& prepare) {
  return stack_layers(p, in, Op::outputs(p), prepare);
}

}  // namespace brickwork
