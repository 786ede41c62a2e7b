// The library that the recurrent stack of GNMT is measured against, there in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/gnmt/op/gnmt_op.hpp"

namespace brickwork {

// Its primitives one after the other, as frameworks chain them: LSTM layers, matmuls and softmax, additions, and
// concatenations of states with the context, all states [T][N][K]. Weights lie in the layouts that its forward and
// backward passes like best.
Contender<GnmtOp> onednn_gnmt();

}  // namespace brickwork
