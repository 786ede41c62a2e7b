// Recurrent layers by the C++ functions that torch.nn.LSTM, GRU and RNN call in eager mode, without the time of
// Python's interpreter.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork::pytorch {

enum class RnnPass { inference, forward, backward };

// Tensors are those of the operations, all in f32 or all in f64. A backward pass uses what pack() left. Sequences of
// unequal length go through pack_padded_sequence in every run; that is part of the time.
Result<PreparedPtr> prepare_rnn(const RnnProblem&, RnnPass, const PlainTensors& inputs, const Resources&);

Contender<RnnInferenceOp> rnn_inference();
Contender<RnnForwardOp> rnn_forward();
Contender<RnnBackwardOp> rnn_backward();

}  // namespace brickwork::pytorch
