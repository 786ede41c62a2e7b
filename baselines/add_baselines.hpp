// The libraries that our additions are measured against, each there in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/add/op/add_ops.hpp"

namespace brickwork {

Contender<AddForwardOp> onednn_add();  // a binary primitive, the ReLU as its post-op
Contender<AddBackwardOp> onednn_add_backward();

}  // namespace brickwork
