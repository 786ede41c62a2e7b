// Convolution's passes on the host as blocks of a GPU's warps would run them: its bodies, its brick's index arithmetic,
// and those by the rules of their instructions (host_warps.hpp).
#pragma once
#include "kernels/base/bf16.hpp"
#include "primitives/bricks/cuda_setting.hpp"
#include "primitives/conv/gpu/conv_backward_on_gpu.hpp"

namespace brickwork {

// Instances: those of conv_on_cuda.hpp.
template <template <class, class> class Pass, class T, class TC>
void conv_on_host_warps(CudaBrick, const Pass<T, TC>&);

}  // namespace brickwork
