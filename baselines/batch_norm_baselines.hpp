// oneDNN's batch normalisation. In a build without oneDNN these functions return absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/batch_norm/op/batch_norm_ops.hpp"

namespace brickwork {

// In channel blocks as wide as a vector, as in the library's convolutions.
Contender<BatchNormForwardOp> onednn_batch_norm();
Contender<BatchNormInferenceOp> onednn_batch_norm_inference();
Contender<BatchNormBackwardOp> onednn_batch_norm_backward();

}  // namespace brickwork
