// Fully connected layers as convolutions: a layer is the 1x1 convolution of one image whose single row of pixels is the
// minibatch. Convolution's drivers, and the analysis that chooses their plans, run its passes without a change.
//
// The layer's plain tensors have the convolution's layouts: src [N][C], dst and residual [N][K] are NHWC, weights
// [K][C] are KCRS. Blocked, they are [C/bc][N][bc], [K/bk][N][bk] and [K/bk][C/bc][bc][bk]. A layer's blocked dst is
// the next layer's src if the next layer's bc equals this layer's bk.
#pragma once
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/fc/op/fc_problem.hpp"

namespace brickwork {

inline ConvProblem conv_of(const FcProblem& p) {
  return {.name = p.name, .C = p.C, .K = p.K, .H = 1, .W = p.N, .epilogue = p.epilogue, .count = p.count};
}

}  // namespace brickwork
