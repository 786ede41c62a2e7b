#include "bricks_on_hopper.cuh"
#include "conv/conv_on_cuda.hpp"
#include "sums_of_columns.hpp"

namespace brickwork {

void conv_forward_on_hopper(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                            const ConvForwardData<bf16, bf16>& data, const CudaSetting& setting) {
  with_warpgroups<bf16, false>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_forward(space, brick, threads, loops.nest, geometry, data);
  });
}

void conv_backward_on_hopper(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                             const ConvForwardData<bf16, bf16>& data, const PixelsWithoutTaps* without_taps,
                             int phases_without_taps, const CudaSetting& setting) {
  with_warpgroups<bf16, false>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_backward_on_gpu(space, brick, threads, loops.nest, geometry, data, without_taps, phases_without_taps);
  });
}

void conv_update_on_hopper(const ConvLoops& loops, const BrgemmShape& bias_brick, const ConvUpdateGeometry& geometry,
                           const ConvUpdateData<bf16, float>& data, const CudaSetting& setting) {
  const SumsOfColumns<bf16, float> of_bias{bias_brick};
  with_warpgroups<float, true>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_update(space, brick, of_bias, threads, loops.nest, geometry, data);
  });
}

}  // namespace brickwork
