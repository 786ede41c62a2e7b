// The oracle of every convolution: the definition, written down as loops.
#pragma once
#include "conv/conv_problem.hpp"

namespace brickwork {

// dst (NKPQ) from src (NCHW), weights (KCRS), bias (K or null), residual (like dst or null), all plain f32, accumulated
// in double. Spread over the host's threads by Kokkos; no blocking, no vectors by hand, nothing shared with the
// drivers it judges.
void conv_forward_reference(const ConvProblem&, const float* src, const float* weights, const float* bias,
                            const float* residual, float* dst);

}  // namespace brickwork
