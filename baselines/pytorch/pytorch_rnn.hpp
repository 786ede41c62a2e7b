// Recurrent layers by PyTorch: the functions below torch.nn.LSTM, GRU and RNN, in eager mode, but without the
// interpreter's time.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork::pytorch {

enum class RnnPass { inference, forward, backward };

// Tensors are those of the operations, all in f32 or all in f64. A backward pass uses what pack() left. Sequences of
// unequal length are packed and padded in every run, as a program has to do.
Result<PreparedPtr> prepare_rnn(const RnnProblem&, RnnPass, const PlainTensors& inputs, const Resources&);

Contender<RnnInferenceOp> rnn_inference();
Contender<RnnForwardOp> rnn_forward();
Contender<RnnBackwardOp> rnn_backward();

}  // namespace brickwork::pytorch
