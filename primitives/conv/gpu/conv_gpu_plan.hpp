// How convolution's passes are blocked and spread over a GPU: the same plans as on the host, by another rule.
//
// A task is a block of threads and one call of the brick, which reduces all input features and taps. Blocks of features
// are what its tile has columns; pixels of a call, of all images, what it has rows. The tile is the one of the brick's
// whose tasks take the least time on all multiprocessors, by a model of them.
#pragma once
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"

namespace brickwork {

struct GpuModel {
  std::int64_t multiprocessors = 132;
  CudaBrick brick = CudaBrick::tensor_cores;  // whose tiles calls are to fill
};

ConvPlan plan_conv_on_gpu(const ConvView&, const GpuModel& = {});
inline ConvPlan plan_conv_forward_on_gpu(const ConvProblem& p, const GpuModel& gpu = {}) {
  return plan_conv_on_gpu(forward_view(p), gpu);
}
// Made for the phase of most taps, as on the host, but never by scattering. Empty where no phase has taps.
ConvPlan plan_conv_backward_on_gpu(const ConvProblem&, const GpuModel& = {});

// The minibatch is cut until there are two tasks for each multiprocessor; every part has a copy of dweights.
ConvUpdatePlan plan_conv_update_on_gpu(const ConvProblem&, const GpuModel& = {});

}  // namespace brickwork
