// Runs convolution's three passes on a GPU: the bodies of conv_forward_body.hpp, conv_backward_on_gpu.hpp and
// conv_update_body.hpp around the bricks of a device. Fully connected layers are convolutions (fc_layers.hpp).
//
// All pointers are to device memory, also those to offset lists and to pixels without taps (cuda_memory.hpp copies them
// there). Work goes into the setting's stream and is not waited for; the copies of an update's outputs are summed on
// the device. Throws std::invalid_argument if the setting cannot run the shape, and std::runtime_error if CUDA refuses
// the launch.
#pragma once
#include "kernels/base/bf16.hpp"
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/conv/gpu/conv_backward_on_gpu.hpp"

namespace brickwork {

// Instances: ConvForwardPass, ConvBackwardOnGpuPass and ConvUpdatePass with T = TC = f32, which tensor cores multiply
// as TF32; and with T = TC = bf16, except that TC of ConvUpdatePass is f32.
template <template <class, class> class Pass, class T, class TC>
void conv_on_cuda(const Pass<T, TC>&, const CudaSetting&);

// Does this for CudaBrick::warpgroups and T = bf16; conv_on_cuda() calls it.
template <template <class, class> class Pass, class T, class TC>
void conv_on_hopper(const Pass<T, TC>&, const CudaSetting&);

}  // namespace brickwork
