// Recurrent layers with PyTorch: what torch.nn.LSTM, GRU and RNN call, in eager mode, but without the interpreter's
// time.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork::pytorch {

enum class RnnPass { inference, forward, backward };

// Tensors as the operations have them, of f32 or all of f64. A backward pass finds what pack() has left, and sequences
// of unequal length are packed and padded in every run, as a program has to.
Result<PreparedPtr> prepare_rnn(const RnnProblem&, RnnPass, const PlainTensors& inputs, const Resources&);

Contender<RnnInferenceOp> rnn_inference();
Contender<RnnForwardOp> rnn_forward();
Contender<RnnBackwardOp> rnn_backward();

}  // namespace brickwork::pytorch
