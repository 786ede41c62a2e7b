#include "primitives/conv/testing/conv_on_host_warps.hpp"

#include "primitives/testing/host_block.hpp"

namespace brickwork {

template <template <class, class> class Pass, class T, class TC>
void conv_on_host_warps(CudaBrick of, const Pass<T, TC>& pass) {
  with_host_block<T, TC, Pass<T, TC>::kTransposesA>(of, pass.shape,
                                                    [&](const auto& brick) { pass(host_space(), brick, 1); });
}

template void conv_on_host_warps(CudaBrick, const ConvForwardPass<float, float>&);
template void conv_on_host_warps(CudaBrick, const ConvForwardPass<bf16, bf16>&);
template void conv_on_host_warps(CudaBrick, const ConvBackwardOnGpuPass<float, float>&);
template void conv_on_host_warps(CudaBrick, const ConvBackwardOnGpuPass<bf16, bf16>&);
template void conv_on_host_warps(CudaBrick, const ConvUpdatePass<float, float>&);
template void conv_on_host_warps(CudaBrick, const ConvUpdatePass<bf16, float>&);

}  // namespace brickwork
