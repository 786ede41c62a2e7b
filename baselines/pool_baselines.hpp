// The library that our pooling is measured against, there in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/pool/op/pool_ops.hpp"

namespace brickwork {

// In blocks of as many channels as a vector holds, as the library's convolutions have them. Max keeps what it needs for
// the backward pass in a workspace of the library's own.
Contender<PoolForwardOp> onednn_pool();
Contender<PoolBackwardOp> onednn_pool_backward();

}  // namespace brickwork
