// The libraries that our attention is measured against, there in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/attention/op/attention_ops.hpp"

namespace brickwork {

// Its matmuls and softmax one after the other, of all sequences at once, in the layout that they like best: each
// sequence's states lie together. Where lengths are unequal, what is beyond an end is masked before the softmax.
Contender<AttentionForwardOp> onednn_attention_forward();
Contender<AttentionBackwardOp> onednn_attention_backward();

// SGEMMs of each sequence and a loop over its scores, the sequences spread over the threads, on the plain tensors.
Contender<AttentionForwardOp> openblas_attention_forward();
Contender<AttentionBackwardOp> openblas_attention_backward();

}  // namespace brickwork
