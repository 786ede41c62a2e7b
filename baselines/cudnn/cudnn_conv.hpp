// A pass of convolution by cuDNN: by which of its plans and algorithms it may be done.
#pragma once
#include <vector>

#include "baselines/contender/precision.hpp"
#include "baselines/cuda/cuda_fastest.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::cudnn {

enum class Pass { forward, backward_data, weight_update };

// Winograd's and Fourier's transforms do fewer operations than are counted, and round integers.
enum class Algorithms { direct, transforms };

struct ConvTask {
  ConvProblem problem;
  Pass pass;
  Precision precision;
  Algorithms algorithms;
  bool channels_last;
  const cuda::Tensor &x, &w, &y;  // src or its gradient, the weights or theirs, dst or its gradient
};

// By the graph API: every plan of the heuristics A and B and of the fallback that can be built. Strict f32 leaves out
// what uses tensor cores or lesser sums.
std::vector<cuda::Way> graph_plans(const ConvTask&);

// By the older API: every algorithm that its Find ran.
std::vector<cuda::Way> found_algorithms(const ConvTask&);

}  // namespace brickwork::cudnn
