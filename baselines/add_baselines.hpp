// The libraries against which our additions are measured. Each exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/add/op/add_ops.hpp"

namespace brickwork {

Contender<AddForwardOp> onednn_add();  // a binary primitive with the ReLU as a post-op
Contender<AddBackwardOp> onednn_add_backward();

}  // namespace brickwork
