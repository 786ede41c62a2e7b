// The rule that chooses plans for convolution's passes on a GPU. The plans are of the same types as on the host.
//
// A task is one block of threads with one brick call, which reduces all input features and taps. A block of features
// has as many features as the brick's tile has columns; a call has as many pixels, of all images, as the tile has rows.
// Of the brick's tiles the rule takes the one with the least time by a model of the multiprocessors.
#pragma once
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"

namespace brickwork {

struct GpuModel {
  std::int64_t multiprocessors = 132;
  CudaBrick brick = CudaBrick::tensor_cores;  // calls fill the tiles of this brick
};

ConvPlan plan_conv_on_gpu(const ConvView&, const GpuModel& = {});
inline ConvPlan plan_conv_forward_on_gpu(const ConvProblem& p, const GpuModel& gpu = {}) {
  return plan_conv_on_gpu(forward_view(p), gpu);
}
// The plan is for the phase with the most taps, as on the host, but never scatters. Empty if no phase has taps.
ConvPlan plan_conv_backward_on_gpu(const ConvProblem&, const GpuModel& = {});

// Cuts the minibatch until there are two tasks per multiprocessor; every part has its own copy of dweights.
ConvUpdatePlan plan_conv_update_on_gpu(const ConvProblem&, const GpuModel& = {});

}  // namespace brickwork
