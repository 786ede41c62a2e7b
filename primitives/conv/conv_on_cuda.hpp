// Convolution's three passes on a GPU: the bodies of conv_forward_body.hpp, conv_backward_body.hpp and
// conv_update_body.hpp around the bricks of a device. Fully connected layers are convolutions (fc_layers.hpp).
//
// All pointers are to the device's memory, those of offset lists among them (cuda_memory.hpp puts them there). Work
// goes into the stream and is not waited for. Each function throws std::invalid_argument where the setting cannot run
// the shape, and std::runtime_error where CUDA refuses the launch.
#pragma once
#include "bf16.hpp"
#include "conv/conv_backward_on_gpu.hpp"
#include "cuda_setting.hpp"

namespace brickwork {

// Instances: of f32, which tensor cores multiply as TF32, with TC f32; and of bf16, with TC bf16 or f32.
template <class T, class TC>
void conv_forward_on_cuda(const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<T, TC>&,
                          const CudaSetting&);

// One phase; the pixels without taps are those that it fills, and their list lies on the device, too.
template <class T, class TC>
void conv_backward_on_cuda(const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<T, TC>&,
                           const PixelsWithoutTaps*, int phases_without_taps, const CudaSetting&);

// The copies of the outputs, too, lie on the device, and are summed there.
template <class T, class TC>
void conv_update_on_cuda(const ConvLoops&, const BrgemmShape& bias_brick, const ConvUpdateGeometry&,
                         const ConvUpdateData<T, TC>&, const CudaSetting&);

// The same with the setting's warpgroups, which the above leave to these.
void conv_forward_on_hopper(const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<bf16, bf16>&,
                            const CudaSetting&);
void conv_backward_on_hopper(const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<bf16, bf16>&,
                             const PixelsWithoutTaps*, int phases_without_taps, const CudaSetting&);
void conv_update_on_hopper(const ConvLoops&, const BrgemmShape& bias_brick, const ConvUpdateGeometry&,
                           const ConvUpdateData<bf16, float>&, const CudaSetting&);

}  // namespace brickwork
