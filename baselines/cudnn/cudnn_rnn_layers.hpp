// A pass of recurrent layers by cuDNN, all layers in one call: by which of its algorithms it may be done.
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

// Each algorithm, on packed and on padded sequences, as fastest() takes them. A backward pass finds what forward has
// left; cuDNN overwrites a part of that, which each run restores first, as the way's name says.
std::vector<std::function<cuda::Operands()>> rnn_choices(const RnnTask&, const PlainTensors& inputs);

}  // namespace brickwork::cudnn
