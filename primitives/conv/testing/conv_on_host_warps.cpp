#include "conv/testing/conv_on_host_warps.hpp"

#include "sums_of_columns.hpp"
#include "testing/host_block.hpp"

namespace brickwork {

template <class T, class TC>
void conv_forward_on_host_warps(CudaBrick of, const ConvLoops& loops, const ConvForwardGeometry& geometry,
                                const ConvForwardData<T, TC>& data) {
  with_host_block<T, TC, false>(of, loops.brick, [&](const auto& brick) {
    run_conv_forward(host_space(), brick, 1, loops.nest, geometry, data);
  });
}

template <class T, class TC>
void conv_backward_on_host_warps(CudaBrick of, const ConvLoops& loops, const ConvForwardGeometry& geometry,
                                 const ConvForwardData<T, TC>& data, const PixelsWithoutTaps* without_taps,
                                 int phases_without_taps) {
  with_host_block<T, TC, false>(of, loops.brick, [&](const auto& brick) {
    run_conv_backward_on_gpu(host_space(), brick, 1, loops.nest, geometry, data, without_taps, phases_without_taps);
  });
}

template <class T, class TC>
void conv_update_on_host_warps(CudaBrick of, const ConvLoops& loops, const BrgemmShape& bias_brick,
                               const ConvUpdateGeometry& geometry, const ConvUpdateData<T, TC>& data) {
  const SumsOfColumns<T, TC> of_bias{bias_brick};
  with_host_block<T, TC, true>(of, loops.brick, [&](const auto& brick) {
    run_conv_update(host_space(), brick, of_bias, 1, loops.nest, geometry, data);
  });
}

template void conv_forward_on_host_warps(CudaBrick, const ConvLoops&, const ConvForwardGeometry&,
                                         const ConvForwardData<float, float>&);
template void conv_forward_on_host_warps(CudaBrick, const ConvLoops&, const ConvForwardGeometry&,
                                         const ConvForwardData<bf16, bf16>&);
template void conv_backward_on_host_warps(CudaBrick, const ConvLoops&, const ConvForwardGeometry&,
                                          const ConvForwardData<float, float>&, const PixelsWithoutTaps*, int);
template void conv_backward_on_host_warps(CudaBrick, const ConvLoops&, const ConvForwardGeometry&,
                                          const ConvForwardData<bf16, bf16>&, const PixelsWithoutTaps*, int);
template void conv_update_on_host_warps(CudaBrick, const ConvLoops&, const BrgemmShape&, const ConvUpdateGeometry&,
                                        const ConvUpdateData<float, float>&);
template void conv_update_on_host_warps(CudaBrick, const ConvLoops&, const BrgemmShape&, const ConvUpdateGeometry&,
                                        const ConvUpdateData<bf16, float>&);

}  // namespace brickwork
