#include "primitives/conv/gpu/conv_gpu_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kReducedAtOnce = 64;  // input features of a block: a cache line of bf16
constexpr std::int64_t kCopiedAtOnce = 8;    // features that a copy of 16 bytes can hold

// A tile of a brick, and the model of its speed.
struct Tile {
  std::int64_t rows, columns;
  std::int64_t blocks;  // blocks of threads that a multiprocessor runs at a time
  double speed;         // of all these blocks together, relative to the fastest tile
  double alone;         // speed of a single block, relative to all of them
  double once;          // work that is done once per tile, in steps of kReducedAtOnce over k
};

// Tiles of multiply-adds, measured on products of 64 to 4096 rows and on convolutions of 28 images (H100).
constexpr Tile kFmaTiles[] = {
    {128, 128, 2, 1, 0.66, 3}, {64, 64, 3, 0.9, 0.63, 2.5}, {32, 64, 2, 0.68, 0.68, 3}, {96, 128, 1, 0.94, 1, 2}};
constexpr std::size_t kFmaTilesOfUpdate = 3;  // the last tile does not take a transposed A
// Tiles of tensor cores. `alone` of wgmma was measured on ResNet-50's layers with 28 images (H100).
constexpr Tile kMmaTiles[] = {{128, 128, 2, 0.9, 0.5, 3.6}, {128, 64, 2, 0.65, 0.5, 5.2}};
constexpr Tile kWgmmaTiles[] = {{128, 256, 1, 1, 1, 4}, {128, 128, 2, 0.9, 0.75, 3.6}, {128, 64, 2, 0.65, 0.75, 5.2}};
// A narrow tile would leave half of a team without sums.
constexpr Tile kPortableTiles[] = {{128, 128, 2, 0.9, 0.5, 3.6}};

std::span<const Tile> tiles_of(CudaBrick brick) {
  switch (brick) {
    case CudaBrick::multiply_adds:
      return kFmaTiles;
    case CudaBrick::tensor_cores:
      return kMmaTiles;
    case CudaBrick::warpgroups:
      return kWgmmaTiles;
    case CudaBrick::portable:
    case CudaBrick::staged:
      return kPortableTiles;
  }
  return {};
}

// Time of the multiprocessor that has the most tiles, in products of one row and one column over kReducedAtOnce. It
// runs tile.blocks tiles at a time; those of an incomplete last round are each faster than in a full round.
double time_of(const Tile& tile, std::int64_t tiles, double steps, std::int64_t multiprocessors) {
  const std::int64_t of_one = ceil_div(tiles, multiprocessors), rest = of_one % tile.blocks;
  double busy = static_cast<double>(of_one - rest);
  if (rest > 0) {
    const double others = tile.blocks > 1 ? static_cast<double>(rest - 1) / static_cast<double>(tile.blocks - 1) : 0;
    busy += static_cast<double>(rest) / (tile.alone + (1 - tile.alone) * others);
  }
  return busy * static_cast<double>(tile.rows * tile.columns) * (steps + tile.once) / tile.speed;
}

// Size of nearly equal blocks, a multiple of kCopiedAtOnce if there are more features than that.
std::int64_t feature_block(std::int64_t features, std::int64_t most) {
  if (features <= kCopiedAtOnce) return features;
  return std::min(features, whole_blocks(equal_block(features, most), kCopiedAtOnce));
}

// The tile with which a convolution takes the least time. Smaller tiles read more per product; of larger tiles there
// may be too few for the multiprocessors.
const Tile& tile_of(const ConvView& p, const GpuModel& gpu) {
  const std::int64_t rows = pixel_grid(p, Pixels::joined).cols;
  const auto steps = static_cast<double>(ceil_div(p.C, kReducedAtOnce) * p.R * p.S);
  return *std::ranges::min_element(tiles_of(gpu.brick), {}, [&](const Tile& tile) {
    return time_of(tile, ceil_div(rows, tile.rows) * ceil_div(p.K, tile.columns), steps, gpu.multiprocessors);
  });
}

// The tile of a weight update, and the number of parts into which the minibatch is cut, so that there are two tasks per
// multiprocessor. It is the widest tile, as with smaller tiles, which copy more per product, ResNet-50's layers with 28
// images took up to 1.7 times as long (H100). Only multiply-adds choose among tiles for one image, as in a fully
// connected layer, which cannot be cut.
struct UpdateTile {
  Tile tile;
  std::int64_t parts;
};
UpdateTile update_tile_of(const ConvProblem& p, const GpuModel& gpu, bool taps_in_m) {
  UpdateTile best{};
  double least = std::numeric_limits<double>::max();
  const bool widest = gpu.brick != CudaBrick::multiply_adds || p.N > 1;
  for (const Tile& tile : tiles_of(gpu.brick).first(widest ? 1 : kFmaTilesOfUpdate)) {
    const std::int64_t rows = taps_in_m ? ceil_div(p.C * p.S, tile.rows) : ceil_div(p.C, tile.rows) * p.S;
    const std::int64_t tasks = rows * p.R * ceil_div(p.K, tile.columns);
    const std::int64_t parts = clamp(ceil_div(2 * gpu.multiprocessors, tasks), 1, p.N);
    const auto steps = static_cast<double>(ceil_div(ceil_div(p.N, parts) * p.P() * p.Q(), kReducedAtOnce));
    const double time = time_of(tile, tasks * parts, steps, gpu.multiprocessors);
    if (time < least) best = {tile, parts}, least = time;
  }
  return best;
}

}  // namespace

ConvPlan plan_conv_on_gpu(const ConvView& p, const GpuModel& gpu) {
  const Tile& tile = tile_of(p, gpu);
  ConvPlan plan{.bc = feature_block(p.C, kReducedAtOnce), .bk = feature_block(p.K, tile.columns)};
  plan.pixels = Pixels::joined;
  plan.bq = std::min(pixel_grid(p, plan.pixels).cols, tile.rows);
  if (p.C < kCopiedAtOnce) plan.taps = Taps::k;  // a first layer: batch members with k = 3 would be short
  plan.loops.levels = {
      {"n", 1, true}, {"oj", 1, true}, {"oi", 1, true}, {"kb", 1, true}, {"cb", ceil_div(p.C, plan.bc), false}};
  return plan;
}

ConvPlan plan_conv_backward_on_gpu(const ConvProblem& p, const GpuModel& gpu) {
  const std::vector<BackwardPhase> phases = backward_phases(p);
  const BackwardPhase& most_taps = phases.front();
  if (!most_taps.has_taps()) return {};
  ConvPlan plan = plan_conv_on_gpu(most_taps.view, gpu);
  if (!lie_beside_the_first(phases)) {  // with joined pixels, phases without taps need computed pixels beside theirs
    plan.pixels = flat_if(can_be_flat(most_taps.view));
    plan.bq = std::min(pixel_grid(most_taps.view, plan.pixels).cols, plan.bq);
  }
  return plan;
}

ConvUpdatePlan plan_conv_update_on_gpu(const ConvProblem& p, const GpuModel& gpu) {
  const bool taps_in_m = p.C < kCopiedAtOnce;
  const auto [tile, parts] = update_tile_of(p, gpu, taps_in_m);
  ConvUpdatePlan plan{.bc = feature_block(p.C, tile.rows), .bk = feature_block(p.K, tile.columns)};
  plan.pixels = can_be_flat(p) ? Pixels::flat : Pixels::joined;
  plan.taps_in_m = taps_in_m;
  plan.loops.levels = {{"n", ceil_div(p.N, parts), true},
                       {"kb", 1, true},
                       {"cb", 1, true},
                       {"r", 1, true},
                       {"s", 1, true},
                       {"oj", 1, false}};
  return plan;
}

}  // namespace brickwork
