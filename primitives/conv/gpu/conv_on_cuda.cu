#include "primitives/bricks/bricks_on_cuda.cuh"
#include "primitives/conv/gpu/conv_on_cuda.hpp"

namespace brickwork {

template <template <class, class> class Pass, class T, class TC>
void conv_on_cuda(const Pass<T, TC>& pass, const CudaSetting& setting) {
  if constexpr (sizeof(T) == 2) {
    if (setting.brick == CudaBrick::warpgroups) return conv_on_hopper(pass, setting);
  }
  with_brick<T, TC, Pass<T, TC>::kTransposesA>(pass.shape, setting, pass);
}

template void conv_on_cuda(const ConvForwardPass<float, float>&, const CudaSetting&);
template void conv_on_cuda(const ConvForwardPass<bf16, bf16>&, const CudaSetting&);
template void conv_on_cuda(const ConvBackwardOnGpuPass<float, float>&, const CudaSetting&);
template void conv_on_cuda(const ConvBackwardOnGpuPass<bf16, bf16>&, const CudaSetting&);
template void conv_on_cuda(const ConvUpdatePass<float, float>&, const CudaSetting&);
template void conv_on_cuda(const ConvUpdatePass<bf16, float>&, const CudaSetting&);

}  // namespace brickwork
