#include <stdexcept>
#include <type_traits>

#include "conv/conv_on_cuda.hpp"
#include "cuda_warps.cuh"
#include "league_cuda.cuh"
#include "mma_brick.hpp"
#include "mma_tiles.hpp"
#include "tile_brick.hpp"
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
#include "league.hpp"
#endif

namespace brickwork {
namespace {

// run(space), of the space that the setting names.
template <class Run>
void on_space(const CudaSetting& setting, const Run& run) {
  switch (setting.path) {
    case CudaPath::launcher:
      return run(CudaStream{static_cast<cudaStream_t>(setting.stream)});
    case CudaPath::kokkos:
#ifdef BRICKWORK_KOKKOS_HAS_CUDA
      return run(Kokkos::Cuda());
#else
      throw std::invalid_argument("this Kokkos has no CUDA");
#endif
  }
}

// run(space, brick, threads) with the brick that the setting names for calls of this shape.
template <class T, class TC, bool a_transposed, class Run>
void with_brick(const BrgemmShape& shape, const CudaSetting& setting, const Run& run) {
  if (setting.brick != CudaBrick::tensor_cores) {
    const TeamBrick<T, TC> brick{shape, setting.brick == CudaBrick::staged};
    return on_space(setting, [&](const auto& space) { run(space, brick, setting.threads); });
  }
  if (setting.path != CudaPath::launcher) throw std::invalid_argument("tensor cores are for the launcher");
  const CudaStream stream{static_cast<cudaStream_t>(setting.stream)};
  const auto on = [&]<class Tile>(std::type_identity<Tile>) {
    run(stream, MmaBrick<Tile, TC, CudaWarps>{shape}, Tile::kThreads);
  };
  for_mma_tile<T, a_transposed>(shape, on);
}

}  // namespace

template <class T, class TC>
void conv_forward_on_cuda(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                          const ConvForwardData<T, TC>& data, const CudaSetting& setting) {
  with_brick<T, TC, false>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_forward(space, brick, threads, loops.nest, geometry, data);
  });
}

template <class T, class TC>
void conv_backward_on_cuda(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                           const ConvForwardData<T, TC>& data, const PixelsWithoutTaps* without_taps,
                           int phases_without_taps, const CudaSetting& setting) {
  with_brick<T, TC, false>(loops.brick, setting, [&](const auto& space, const auto& brick, int threads) {
    run_conv_backward(space, brick, threads, loops.nest, geometry, data, without_taps, phases_without_taps);
  });
}

template <class T, class TC>
void conv_update_on_cuda(const ConvLoops& loops, const BrgemmShape& bias_brick, const ConvUpdateGeometry& geometry,
                         const ConvUpdateData<T, TC>& data, const CudaSetting& setting) {
  const TeamBrick<T, TC> of_bias{bias_brick, false};  // of one row, which would leave tensor cores idle
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
