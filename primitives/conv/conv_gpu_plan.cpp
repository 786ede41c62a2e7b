#include "conv/conv_gpu_plan.hpp"

#include <algorithm>
#include <vector>

#include "conv/stride_phases.hpp"
#include "integers.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kBlockRows = 128;
constexpr std::int64_t kReducedAtOnce = 64;  // input features of a block: of bf16 a cache line
constexpr std::int64_t kCopiedAtOnce = 8;    // features that a copy of 16 bytes may hold

// Equal blocks, but of whole vectors where there are so many features.
std::int64_t feature_block(std::int64_t features, std::int64_t most) {
  if (features <= kCopiedAtOnce) return features;
  return std::min(features, whole_blocks(equal_block(features, most), kCopiedAtOnce));
}

// The columns of the tile with which a convolution takes the least time: narrower tiles read more for their products,
// and of wider ones there may be too few for the multiprocessors. What is done once for a tile takes as long as some
// steps.
std::int64_t tile_columns(const ConvView& p, const GpuModel& gpu) {
  struct Tile {
    std::int64_t columns, blocks;  // of a multiprocessor at a time
    double share;                  // of the widest one's speed
  };
  constexpr Tile kTiles[] = {{256, 1, 1}, {128, 2, 0.9}, {64, 2, 0.65}};
  constexpr double kOnce = 4 * 256;  // columns of a step
  const std::int64_t rows = ceil_div(pixel_grid(p, Pixels::joined).cols, kBlockRows);
  const std::int64_t steps = ceil_div(p.C, kReducedAtOnce) * p.R * p.S;
  std::int64_t best = 0;
  double least = 0;
  for (const Tile& tile : kTiles) {
    if (tile.columns > gpu.most_columns || tile.columns < gpu.least_columns) continue;
    const std::int64_t waves = ceil_div(rows * ceil_div(p.K, tile.columns), gpu.multiprocessors * tile.blocks);
    const double time =
        static_cast<double>(waves) * (static_cast<double>(tile.blocks * tile.columns * steps) / tile.share + kOnce);
    if (best == 0 || time < least) best = tile.columns, least = time;
  }
  return best;
}

}  // namespace

ConvPlan plan_conv_on_gpu(const ConvView& p, const GpuModel& gpu) {
  ConvPlan plan{.bc = feature_block(p.C, kReducedAtOnce), .bk = feature_block(p.K, tile_columns(p, gpu))};
  plan.pixels = Pixels::joined;
  plan.bq = std::min(pixel_grid(p, plan.pixels).cols, kBlockRows);
  if (p.C < kCopiedAtOnce) plan.taps = Taps::k;  // a first layer's: members of three steps would be short ones
  plan.loops.levels = {
      {"n", 1, true}, {"oj", 1, true}, {"oi", 1, true}, {"kb", 1, true}, {"cb", ceil_div(p.C, plan.bc), false}};
  return plan;
}

ConvPlan plan_conv_backward_on_gpu(const ConvProblem& p, const GpuModel& gpu) {
  const std::vector<BackwardPhase> phases = backward_phases(p);
  const BackwardPhase& most_taps = phases.front();
  if (!most_taps.has_taps()) return {};
  ConvPlan plan = plan_conv_on_gpu(most_taps.view, gpu);
  if (!lie_beside_the_first(phases)) {  // pixels of those without taps are written beside the computed ones
    plan.pixels = flat_if(can_be_flat(most_taps.view, SrcAccess::cached));
    plan.bq = std::min(pixel_grid(most_taps.view, plan.pixels).cols, kBlockRows);
  }
  return plan;
}

ConvUpdatePlan plan_conv_update_on_gpu(const ConvProblem& p, const GpuModel& gpu) {
  ConvUpdatePlan plan{.bc = feature_block(p.C, kBlockRows), .bk = feature_block(p.K, gpu.most_columns)};
  plan.pixels = can_be_flat(p, SrcAccess::cached) ? Pixels::flat : Pixels::joined;
  plan.taps_in_m = p.C < kCopiedAtOnce;
  const std::int64_t tasks = ceil_div(p.C, plan.bc) * ceil_div(p.K, plan.bk) * p.R * (plan.taps_in_m ? 1 : p.S);
  const std::int64_t parts = clamp(ceil_div(2 * gpu.multiprocessors, tasks), 1, p.N);
  plan.loops.levels = {{"n", ceil_div(p.N, parts), true},
                       {"kb", 1, true},
                       {"cb", 1, true},
                       {"r", 1, true},
                       {"s", 1, true},
                       {"oj", 1, false}};
  return plan;
}

}  // namespace brickwork
