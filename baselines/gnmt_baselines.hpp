// The library against which the recurrent stack of GNMT is measured. It exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/gnmt/op/gnmt_op.hpp"

namespace brickwork {

// oneDNN's primitives one after the other, as frameworks chain them: LSTM layers, matmuls and softmax, additions,
// concatenations of states with the context; all states are [T][N][K]. Weights are in the layouts that the forward and
// the backward pass like best.
Contender<GnmtOp> onednn_gnmt();

}  // namespace brickwork
