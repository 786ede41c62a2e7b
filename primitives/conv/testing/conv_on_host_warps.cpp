#include "conv/testing/conv_on_host_warps.hpp"

#include "league.hpp"
#include "mma_brick.hpp"
#include "mma_tiles.hpp"
#include "testing/host_warps.hpp"

namespace brickwork {
namespace {

// It has shared memory of its own, in place of the task's scratch.
template <class Tile>
struct HostBlock : HostWarps {
  explicit HostBlock(void*) : HostWarps(Tile::kThreads, Tile::kScratch, Copies::late) {}
};

// run(brick) with the one that a device would choose.
template <class T, class TC, bool a_transposed, class Run>
void with_host_block(const BrgemmShape& shape, const Run& run) {
  for_mma_tile<T, a_transposed>(
      shape, [&]<class Tile>(std::type_identity<Tile>) { run(MmaBrick<Tile, TC, HostBlock<Tile>>{shape}); });
}

const Kokkos::DefaultHostExecutionSpace& host_space() {
  static const Kokkos::DefaultHostExecutionSpace space;
  return space;
}

}  // namespace

template <class T, class TC>
void conv_forward_on_host_warps(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                                const ConvForwardData<T, TC>& data) {
  with_host_block<T, TC, false>(
      loops.brick, [&](const auto& brick) { run_conv_forward(host_space(), brick, 1, loops.nest, geometry, data); });
}

template <class T, class TC>
void conv_backward_on_host_warps(const ConvLoops& loops, const ConvForwardGeometry& geometry,
                                 const ConvForwardData<T, TC>& data, const PixelsWithoutTaps* without_taps,
                                 int phases_without_taps) {
  with_host_block<T, TC, false>(loops.brick, [&](const auto& brick) {
    run_conv_backward(host_space(), brick, 1, loops.nest, geometry, data, without_taps, phases_without_taps);
  });
}

template <class T, class TC>
void conv_update_on_host_warps(const ConvLoops& loops, const BrgemmShape& bias_brick,
                               const ConvUpdateGeometry& geometry, const ConvUpdateData<T, TC>& data) {
  const TeamBrick<T, TC> of_bias{bias_brick, false};
  with_host_block<T, TC, true>(loops.brick, [&](const auto& brick) {
    run_conv_update(host_space(), brick, of_bias, 1, loops.nest, geometry, data);
  });
}

template void conv_forward_on_host_warps(const ConvLoops&, const ConvForwardGeometry&,
                                         const ConvForwardData<float, float>&);
template void conv_forward_on_host_warps(const ConvLoops&, const ConvForwardGeometry&,
                                         const ConvForwardData<bf16, bf16>&);
template void conv_backward_on_host_warps(const ConvLoops&, const ConvForwardGeometry&,
                                          const ConvForwardData<float, float>&, const PixelsWithoutTaps*, int);
template void conv_backward_on_host_warps(const ConvLoops&, const ConvForwardGeometry&,
                                          const ConvForwardData<bf16, bf16>&, const PixelsWithoutTaps*, int);
template void conv_update_on_host_warps(const ConvLoops&, const BrgemmShape&, const ConvUpdateGeometry&,
                                        const ConvUpdateData<float, float>&);
template void conv_update_on_host_warps(const ConvLoops&, const BrgemmShape&, const ConvUpdateGeometry&,
                                        const ConvUpdateData<bf16, float>&);

}  // namespace brickwork
