// The libraries that our recurrent layers are measured against, there in every build: see absent_library().
#pragma once
#include "contender.hpp"
#include "rnn_ops.hpp"

namespace brickwork {

// All layers in one primitive, in the layouts of the weights that the library likes best; a backward pass finds the
// workspace that forward leaves when the contender packs.
Contender<RnnInferenceOp> onednn_rnn_inference();
Contender<RnnForwardOp> onednn_rnn_forward();
Contender<RnnBackwardOp> onednn_rnn_backward();
// The library has no such pass, and says so.
Contender<RnnBackwardDataOp> onednn_rnn_backward_data();
Contender<RnnWeightUpdateOp> onednn_rnn_weight_update();

// One large SGEMM for the input, one of each step for the state, and loops: what frameworks make of a BLAS.
Contender<RnnInferenceOp> openblas_rnn_inference();

}  // namespace brickwork
