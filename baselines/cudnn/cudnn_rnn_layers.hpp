// The algorithms of cuDNN for one pass of recurrent layers, all layers in one call.
#pragma once
#include "baselines/contender/precision.hpp"
#include "baselines/cuda/cuda_fastest.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork::cudnn {

enum class RnnPass { inference, forward, backward };

struct RnnTask {
  RnnProblem problem;
  RnnPass pass;
  Precision precision;  // f32 or tf32
};

// Each algorithm, on packed and on padded sequences, for fastest(). A backward pass uses the results of forward; cuDNN
// overwrites a part of them, which each run restores first, as the way's name says.
std::vector<std::function<cuda::Operands()>> rnn_choices(const RnnTask&, const PlainTensors& inputs);

}  // namespace brickwork::cudnn
