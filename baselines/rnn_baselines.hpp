// The libraries that our recurrent layers are measured against, there in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "baselines/contender/precision.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {

// All layers in one primitive, in the layouts of the weights that the library likes best; a backward pass finds the
// workspace that forward leaves when the contender packs.
Contender<RnnInferenceOp> onednn_rnn_inference();
Contender<RnnForwardOp> onednn_rnn_forward();
Contender<RnnBackwardOp> onednn_rnn_backward();
// The library has no such pass, and says so.
Contender<RnnBackwardDataOp> onednn_rnn_backward_data();
Contender<RnnWeightUpdateOp> onednn_rnn_weight_update();

// The paper authors' own cells: one layer, forward in time. What the library gets wrong or lacks, it says.
Contender<RnnInferenceOp> libxsmm_dnn_rnn_inference();
Contender<RnnForwardOp> libxsmm_dnn_rnn_forward();
Contender<RnnBackwardOp> libxsmm_dnn_rnn_backward();
Contender<RnnBackwardDataOp> libxsmm_dnn_rnn_backward_data();
Contender<RnnWeightUpdateOp> libxsmm_dnn_rnn_weight_update();

// One large SGEMM for the input and for each of the weights, one of each step for the state, and loops: what frameworks
// make of a BLAS.
Contender<RnnInferenceOp> openblas_rnn_inference();
Contender<RnnForwardOp> openblas_rnn_forward();
Contender<RnnBackwardOp> openblas_rnn_backward();
Contender<RnnBackwardDataOp> openblas_rnn_backward_data();
Contender<RnnWeightUpdateOp> openblas_rnn_weight_update();

// On a GPU, of RnnInferenceOp, RnnForwardOp and RnnBackwardOp: the fastest of cuDNN's algorithms, all layers in one
// call. A backward pass finds what forward leaves when the contender packs; what cuDNN overwrites of that, each run
// restores.
template <Operation Op>
Contender<Op> cudnn_rnn(Precision);

}  // namespace brickwork
