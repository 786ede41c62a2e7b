#include "primitives/bricks/bricks_on_cuda.cuh"
#include "primitives/recursive/gpu/recursive_on_cuda.hpp"
#include "primitives/recursive/gpu/recursive_on_device.hpp"
#include "primitives/tensors/memory_on_cuda.hpp"

namespace brickwork {
namespace {

// Some phases of a program; all blocks meet after each.
template <class Body>
struct Phases {
  Body body;
  std::int32_t first, end;

  template <class Meet>
  BRICKWORK_HOST_DEVICE void operator()(const CudaBlock& team, std::int64_t share, std::int64_t shares,
                                        const Meet& meet, void* scratch) const {
    for (std::int32_t phase = first; phase < end; ++phase) {
      body.run_phase(team, phase, share, share, shares, scratch);
      meet();
    }
  }
};

template <class Body>
void launch(const CudaSetting& setting, std::int64_t shares, int threads, std::int64_t scratch_bytes, bool persist,
            const Body& body) {
  const CudaStream space{static_cast<cudaStream_t>(setting.stream)};
  const std::int32_t all = body.program.phase_count, step = persist ? all : 1;
  for (std::int32_t first = 0; first < all; first += step) {
    in_one_launch(space, shares, threads, scratch_bytes, Phases<Body>{body, first, first + step});
  }
}

using Tile = LowFmaTile<>;  // levels have few rows
static_assert(Tile::kM == kRowsOfGpuTile && Tile::kN == kFeaturesOfGpuTile);

}  // namespace

Result<RecursivePasses> RecursiveOnCuda::passes(const RecursiveShapes& shapes) const {
  if (setting_.path != CudaPath::launcher) {
    return Result<RecursivePasses>::unsupported("recursive models run with path launcher: teams of Kokkos cannot meet");
  }
  if (setting_.brick >= CudaBrick::tensor_cores) {
    return Result<RecursivePasses>::unsupported(
        "recursive models are f32, which tensor cores do not multiply strictly");
  }
  const auto run = [shapes, setting = setting_, shares = multiprocessors_](const RecursiveRun& of) {
    if (setting.brick == CudaBrick::multiply_adds) {
      const BlockBrick<Tile, float, CudaWarps> brick{shapes.weights};
      return launch(setting, shares, Tile::kThreads, brick.scratch_bytes(), of.persist,
                    recursive_body_on_device(shapes, of, brick));
    }
    const TeamBrick<float> brick{shapes.weights, setting.brick == CudaBrick::staged};
    launch(setting, shares, setting.threads, brick.scratch_bytes(), of.persist,
           recursive_body_on_device(shapes, of, brick));
  };
  return RecursivePasses{cuda_isa(), run};
}

std::unique_ptr<DeviceMemory> RecursiveOnCuda::memory(std::size_t bytes) const {
  return std::make_unique<MemoryOnCuda>(bytes);
}

}  // namespace brickwork
