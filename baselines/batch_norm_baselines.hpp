// The library that our batch normalisation is measured against, there in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/batch_norm/op/batch_norm_ops.hpp"

namespace brickwork {

// In blocks of as many channels as a vector holds, as the library's convolutions have them.
Contender<BatchNormForwardOp> onednn_batch_norm();
Contender<BatchNormInferenceOp> onednn_batch_norm_inference();
Contender<BatchNormBackwardOp> onednn_batch_norm_backward();

}  // namespace brickwork
