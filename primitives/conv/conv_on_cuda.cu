#include "bricks_on_cuda.cuh"
#include "conv/conv_on_cuda.hpp"
#include "sums_of_columns.hpp"

namespace brickwork {
namespace {

// A task has gathered pixels in its shared memory, before the stages.
void require_no_gathered(const CudaSetting& setting, std::int64_t elements) {
  if (setting.brick >= CudaBrick::multiply_adds && elements != 0) {
    throw std::invalid_argument("this brick's copies into shared memory read no pixels that were gathered there");
  }
}

}  // namespace

template <class T, class TC>
void conv_forward_on_cuda(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                          const ConvForwardData<T, TC>& data, const CudaSetting& setting) {
  if constexpr (sizeof(T) == 2) {
    if (setting.brick == CudaBrick::warpgroups) return conv_forward_on_hopper(loops, geometry, data, setting);
  }
  with_brick<T, TC, false>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_forward(space, brick, threads, loops.nest, geometry, data);
  });
}

template <class T, class TC>
void conv_backward_on_cuda(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                           const ConvForwardData<T, TC>& data, const PixelsWithoutTaps* without_taps,
                           int phases_without_taps, const CudaSetting& setting) {
  if constexpr (sizeof(T) == 2) {
    if (setting.brick == CudaBrick::warpgroups) {
      return conv_backward_on_hopper(loops, geometry, data, without_taps, phases_without_taps, setting);
    }
  }
  with_brick<T, TC, false>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_backward_on_gpu(space, brick, threads, loops.nest, geometry, data, without_taps, phases_without_taps);
  });
}

template <class T, class TC>
void conv_update_on_cuda(const ConvLoops& loops, const BrgemmShape& bias_brick, const ConvUpdateGeometry& geometry,
                         const ConvUpdateData<T, TC>& data, const CudaSetting& setting) {
  require_no_gathered(setting, geometry.gathered.elements());
  if constexpr (sizeof(T) == 2) {
    if (setting.brick == CudaBrick::warpgroups) {
      return conv_update_on_hopper(loops, bias_brick, geometry, data, setting);
    }
  }
  const SumsOfColumns<T, TC> of_bias{bias_brick};  // of one row, which would leave tensor cores idle
  with_brick<T, TC, true>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_update(space, brick, of_bias, threads, loops.nest, geometry, data);
  });
}

#define BRICKWORK_PASSES(T, TC)                                                                                    \
  template void conv_forward_on_cuda(const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<T, TC>&,  \
                                     const CudaSetting&);                                                          \
  template void conv_backward_on_cuda(const ConvLoops&, const ConvForwardGeometry&, const ConvForwardData<T, TC>&, \
                                      const PixelsWithoutTaps*, int, const CudaSetting&);
BRICKWORK_PASSES(float, float)
BRICKWORK_PASSES(bf16, bf16)
#undef BRICKWORK_PASSES
template void conv_update_on_cuda(const ConvLoops&, const BrgemmShape&, const ConvUpdateGeometry&,
                                  const ConvUpdateData<float, float>&, const CudaSetting&);
template void conv_update_on_cuda(const ConvLoops&, const BrgemmShape&, const ConvUpdateGeometry&,
                                  const ConvUpdateData<bf16, float>&, const CudaSetting&);

}  // namespace brickwork
