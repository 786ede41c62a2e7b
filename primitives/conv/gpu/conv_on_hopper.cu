#include "primitives/bricks/bricks_on_hopper.cuh"
#include "primitives/conv/gpu/conv_on_cuda.hpp"

namespace brickwork {

template <template <class, class> class Pass, class T, class TC>
void conv_on_hopper(const Pass<T, TC>& pass, const CudaSetting& setting) {
  with_warpgroups<TC, Pass<T, TC>::kTransposesA>(pass.shape, setting, pass);
}

template void conv_on_hopper(const ConvForwardPass<bf16, bf16>&, const CudaSetting&);
template void conv_on_hopper(const ConvBackwardOnGpuPass<bf16, bf16>&, const CudaSetting&);
template void conv_on_hopper(const ConvUpdatePass<bf16, float>&, const CudaSetting&);

}  // namespace brickwork
