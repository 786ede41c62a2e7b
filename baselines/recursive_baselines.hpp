// The libraries against which recursive models are measured. Each exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/recursive/op/recursive_ops.hpp"

namespace brickwork {

// The nodes of a level together: oneDNN's matmuls, and loops between them. The linearizer is part of a run.
Contender<RecursiveInferenceOp> onednn_recursive_inference();
// Then the levels in reverse order, and a matmul over all nodes for the gradients of weights.
Contender<RecursiveTrainingOp> onednn_recursive_training();

}  // namespace brickwork
