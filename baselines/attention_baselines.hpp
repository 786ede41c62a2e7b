// The libraries against which our attention is measured. Each exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/attention/op/attention_ops.hpp"

namespace brickwork {

// oneDNN's matmuls and softmax one after the other, for all sequences at once, in the layout that they like best: the
// states of a sequence are contiguous. With unequal lengths, a mask covers what is beyond a sequence's end before the
// softmax.
Contender<AttentionForwardOp> onednn_attention_forward();
Contender<AttentionBackwardOp> onednn_attention_backward();

// SGEMMs of each sequence and a loop over its scores, on the plain tensors; the sequences are spread over the threads.
Contender<AttentionForwardOp> openblas_attention_forward();
Contender<AttentionBackwardOp> openblas_attention_backward();

}  // namespace brickwork
