// The libraries against which our recurrent layers are measured. Each exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "baselines/contender/precision.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {

// All layers in one primitive, with weights in the layouts that the library likes best. For a backward pass, forward
// fills the workspace while the contender packs.
Contender<RnnInferenceOp> onednn_rnn_inference();
Contender<RnnForwardOp> onednn_rnn_forward();
Contender<RnnBackwardOp> onednn_rnn_backward();
// The library has no such pass; the contender says so.
Contender<RnnBackwardDataOp> onednn_rnn_backward_data();
Contender<RnnWeightUpdateOp> onednn_rnn_weight_update();

// The paper authors' own cells: one layer, forward in time. The contender says what the library gets wrong or lacks.
Contender<RnnInferenceOp> libxsmm_dnn_rnn_inference();
Contender<RnnForwardOp> libxsmm_dnn_rnn_forward();
Contender<RnnBackwardOp> libxsmm_dnn_rnn_backward();
Contender<RnnBackwardDataOp> libxsmm_dnn_rnn_backward_data();
Contender<RnnWeightUpdateOp> libxsmm_dnn_rnn_weight_update();

// One large SGEMM for the input and for each of the weights, one SGEMM per step for the state, and loops: what
// frameworks build on a BLAS.
Contender<RnnInferenceOp> openblas_rnn_inference();
Contender<RnnForwardOp> openblas_rnn_forward();
Contender<RnnBackwardOp> openblas_rnn_backward();
Contender<RnnBackwardDataOp> openblas_rnn_backward_data();
Contender<RnnWeightUpdateOp> openblas_rnn_weight_update();

// RnnInferenceOp, RnnForwardOp and RnnBackwardOp on a GPU: the fastest of cuDNN's algorithms, all layers in one call.
// For a backward pass, forward runs while the contender packs; each run restores what cuDNN overwrites of its results.
template <Operation Op>
Contender<Op> cudnn_rnn(Precision);

}  // namespace brickwork
