// The libraries against which our fully connected layers are measured. Each exists in every build: see
// absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "baselines/contender/precision.hpp"
#include "primitives/fc/op/fc_ops.hpp"

namespace brickwork {

// Uses the library's own best layouts (format any).
Contender<FcForwardOp> onednn_fc_forward();
Contender<FcBackwardDataOp> onednn_fc_backward_data();
Contender<FcWeightUpdateOp> onednn_fc_weight_update();

// The paper authors' own primitive.
Contender<FcForwardOp> libxsmm_dnn_fc_forward();
Contender<FcBackwardDataOp> libxsmm_dnn_fc_backward_data();
Contender<FcWeightUpdateOp> libxsmm_dnn_fc_weight_update();

// Each pass on a GPU: the fastest product that cuBLASLt's heuristics propose.
template <Operation Op>
Contender<Op> cublaslt_fc(Precision);

// One SGEMM on the plain tensors.
Contender<FcForwardOp> openblas_fc_forward();
Contender<FcBackwardDataOp> openblas_fc_backward_data();
Contender<FcWeightUpdateOp> openblas_fc_weight_update();

}  // namespace brickwork
