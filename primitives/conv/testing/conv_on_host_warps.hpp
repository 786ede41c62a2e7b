// Runs convolution's passes on the host like blocks of a GPU's warps: with the device's bodies and its bricks' index
// arithmetic; the warps' instructions are emulated (host_warps.hpp).
#pragma once
#include "kernels/base/bf16.hpp"
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/conv/gpu/conv_backward_on_gpu.hpp"

namespace brickwork {

// Instances: as in conv_on_cuda.hpp.
template <template <class, class> class Pass, class T, class TC>
void conv_on_host_warps(CudaBrick, const Pass<T, TC>&);

}  // namespace brickwork
