// For libraries that take the weights of all recurrent layers as one tensor, layer after layer.
#pragma once
#include <functional>
#include <vector>

#include "baselines/contender/contender.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {

// Returns what prepare() makes of tensors that hold the weights of all layers under the name of the first:
// weights_layer.0 is [L][D][C][G][K]. With one layer these are the operation's own tensors. With several, the contender
// stacks them when it packs and separates them when it unpacks; all layers must read the same number of features.
using PrepareStacked = std::function<PreparedPtr(const PlainTensors&)>;
PreparedPtr stack_layers(const RnnProblem&, const PlainTensors& in, const std::vector<TensorInfo>& outputs,
                         const PrepareStacked&);

template <Operation Op>
PreparedPtr stacked_layers(const RnnProblem& p, const PlainTensors& in, const PrepareStacked& prepare) {
  return stack_layers(p, in, Op::outputs(p), prepare);
}

}  // namespace brickwork
