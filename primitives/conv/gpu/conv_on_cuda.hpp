// Convolution's three passes on a GPU: the bodies of conv_forward_body.hpp, conv_backward_on_gpu.hpp and
// conv_update_body.hpp around the bricks of a device. Fully connected layers are convolutions (fc_layers.hpp).
//
// All pointers are to the device's memory, those of offset lists and of pixels without taps among them (cuda_memory.hpp
// puts them there). Work goes into the stream and is not waited for; the copies of an update's outputs are summed
// there. std::invalid_argument where the setting cannot run the shape, and std::runtime_error where CUDA refuses the
// launch.
#pragma once
#include "kernels/base/bf16.hpp"
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/conv/gpu/conv_backward_on_gpu.hpp"

namespace brickwork {

// Instances: ConvForwardPass, ConvBackwardOnGpuPass and ConvUpdatePass of f32, which tensor cores multiply as TF32,
// with TC f32; and of bf16, with TC bf16, an update's with f32.
template <template <class, class> class Pass, class T, class TC>
void conv_on_cuda(const Pass<T, TC>&, const CudaSetting&);

// The same with the setting's warpgroups, of bf16, which the above leaves to this.
template <template <class, class> class Pass, class T, class TC>
void conv_on_hopper(const Pass<T, TC>&, const CudaSetting&);

}  // namespace brickwork
