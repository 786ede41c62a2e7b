#include "primitives/bricks/bricks_on_cuda.cuh"
#include "primitives/rnn/gpu/rnn_on_cuda.hpp"
#include "primitives/rnn/gpu/rnn_on_device.hpp"
#include "primitives/tensors/memory_on_cuda.hpp"

namespace brickwork {
namespace {

struct Teams {
  CudaSetting setting;

  template <bool a_transposed, class Run>
  void with_brick(const BrgemmShape& shape, const Run& run) const {
    if (setting.brick == CudaBrick::multiply_adds) {
      return for_rnn_tile<a_transposed>(shape, [&]<class Tile>(std::type_identity<Tile>) {
        run_tile<Tile>(BlockBrick<Tile, float, CudaWarps>{shape}, setting, run);
      });
    }
    const TeamBrick<float> brick{shape, setting.brick == CudaBrick::staged};
    on_space(setting, [&](const auto& space) { run(space, brick, setting.threads); });
  }
  template <class Run>
  void without_brick(const Run& run) const {
    on_space(setting, [&](const auto& space) { run(space, setting.threads); });
  }
  std::string isa() const { return cuda_isa(); }
};

}  // namespace

Result<RnnPasses> RnnOnCuda::passes(const RnnForwardGeometry& g, const RnnBackwardGeometry* back) const {
  if (setting_.brick >= CudaBrick::tensor_cores) {
    return {Status::unsupported, "recurrent layers are f32, which tensor cores do not multiply strictly"};
  }
  return rnn_passes_by_teams(g, back, Teams{setting_});
}

RnnSizes RnnOnCuda::sizes(std::int64_t N, std::int64_t, std::int64_t K) const {
  return rnn_sizes_on_gpu(N, K, multiprocessors_);
}

std::unique_ptr<DeviceMemory> RnnOnCuda::memory(std::size_t bytes) const {
  return std::make_unique<MemoryOnCuda>(bytes);
}

}  // namespace brickwork
