// The library against which our pooling is measured. It exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/pool/op/pool_ops.hpp"

namespace brickwork {

// In channel blocks as wide as a vector, as in the library's convolutions. Max pooling keeps what its backward pass
// needs in a workspace of the library.
Contender<PoolForwardOp> onednn_pool();
Contender<PoolBackwardOp> onednn_pool_backward();

}  // namespace brickwork
