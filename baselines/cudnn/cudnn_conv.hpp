// The plans and algorithms of cuDNN for one pass of a convolution.
#pragma once
#include <vector>

#include "baselines/contender/precision.hpp"
#include "baselines/cuda/cuda_fastest.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::cudnn {

enum class Pass { forward, backward_data, weight_update };

// Winograd's and Fourier's transforms do fewer operations than are counted, and are inexact even on integers.
enum class Algorithms { direct, transforms };

struct ConvTask {
  ConvProblem problem;
  Pass pass;
  Precision precision;
  Algorithms algorithms;
  bool channels_last;
  const cuda::Tensor &x, &w, &y;  // src or its gradient, weights or their gradient, dst or its gradient
};

// The graph API: every plan of heuristics A, B and the fallback that can be built. Strict f32 leaves out plans with
// tensor cores or with sums of lower precision.
std::vector<cuda::Way> graph_plans(const ConvTask&);

// The older API: every algorithm that its Find function ran.
std::vector<cuda::Way> found_algorithms(const ConvTask&);

}  // namespace brickwork::cudnn
