// A fully connected layer is the convolution of one image, whose pixels are the minibatch in a row, with 1x1 filters:
// the drivers of convolution and the rule for their plans run its passes as they are.
//
// Its plain tensors are that convolution's as they lie: src [N][C], dst and residual [N][K] are NHWC, weights [K][C]
// are KCRS. Blocked they are [C/bc][N][bc], [K/bk][N][bk] and [K/bk][C/bc][bc][bk]: those of a layer are the next one's
// src where its bc is this one's bk.
#pragma once
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/fc/op/fc_problem.hpp"

namespace brickwork {

inline ConvProblem conv_of(const FcProblem& p) {
  return {.name = p.name, .C = p.C, .K = p.K, .H = 1, .W = p.N, .epilogue = p.epilogue, .count = p.count};
}

}  // namespace brickwork
