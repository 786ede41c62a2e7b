// Convolution's passes on the host as blocks of a GPU's warps would run them: its bodies, its brick's index arithmetic,
// and those by the rules of their instructions (host_warps.hpp).
#pragma once
#include "bf16.hpp"
#include "conv/conv_backward_on_gpu.hpp"
#include "cuda_setting.hpp"

namespace brickwork {

// Instances: those of conv_on_cuda.hpp.
template <class T, class TC>
void conv_forward_on_host_warps(CudaBrick, const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<T, TC>&);
template <class T, class TC>
void conv_backward_on_host_warps(CudaBrick, const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<T, TC>&,
                                 const PixelsWithoutTaps*, int phases_without_taps);
template <class T, class TC>
void conv_update_on_host_warps(CudaBrick, const ConvLoops&, const BrgemmShape& bias_brick, const ConvUpdateGeometry&,
                               const ConvUpdateData<T, TC>&);

}  // namespace brickwork
