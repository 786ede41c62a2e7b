#include "experiments/search/conv_plan_neighbours.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/search/conv_loop_moves.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

using Plans = std::vector<ConvPlan>;

LoopExtents extents_of(const ConvProblem& p, const ConvPlan& plan) {
  const PixelGrid grid = pixel_grid(p, plan.pixels);
  return {{"n", p.N},
          {"kb", ceil_div(p.K, plan.bk)},
          {"oj", grid.rows},
          {"oi", ceil_div(grid.cols, plan.bq)},
          {"cb", ceil_div(p.C, plan.bc)}};
}

// Adapts the loops of `old` to the blocks of `plan`: loops that are cut stay cut in the same proportion.
ConvPlan with_blocks(const ConvProblem& p, const ConvPlan& old, ConvPlan plan) {
  plan.loops = rescaled(old.loops, extents_of(p, old), extents_of(p, plan));
  return plan;
}

// The sizes other than `present`, the closest ones first.
std::vector<std::int64_t> nearest(std::vector<std::int64_t> sizes, std::int64_t present) {
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase(sizes, present);
  const auto distance = [&](std::int64_t size) {
    return std::abs(std::log(static_cast<double>(size) / static_cast<double>(present)));
  };
  std::ranges::stable_sort(sizes, {}, distance);
  return sizes;
}

// Pixels per call: equal parts of a row, and these parts rounded up to heights of register tiles on several processors.
Plans pixel_blocks(const ConvProblem& p, const ConvPlan& plan) {
  constexpr std::int64_t kMostParts = 64, kLeast = 4;
  constexpr std::size_t kMost = 6;  // of each kind; sizes further away are neighbours of neighbours
  const std::int64_t cols = pixel_grid(p, plan.pixels).cols;
  std::vector<std::int64_t> equal{cols}, whole_tiles;
  for (std::int64_t parts = 2; parts <= kMostParts && ceil_div(cols, parts) >= kLeast; ++parts) {
    equal.push_back(ceil_div(cols, parts));
    for (const std::int64_t height : {6, 7, 8, 9, 14, 28}) {
      whole_tiles.push_back(std::min(cols, ceil_div(equal.back(), height) * height));
    }
  }
  equal = nearest(std::move(equal), plan.bq);
  whole_tiles = nearest(std::move(whole_tiles), plan.bq);
  Plans plans;
  for (std::size_t i = 0; i < kMost; ++i) {
    for (const auto& sizes : {equal, whole_tiles}) {
      if (i >= sizes.size()) continue;
      ConvPlan other = plan;
      other.bq = sizes[i];
      plans.push_back(with_blocks(p, plan, std::move(other)));
    }
  }
  return plans;
}

// Features per block: equal parts of at most 8 to 512 features, or all of them.
Plans feature_blocks(const ConvProblem& p, const ConvPlan& plan, std::int64_t size, std::int64_t ConvPlan::*block) {
  std::vector<std::int64_t> blocks{size};
  for (const std::int64_t most : {8, 16, 32, 48, 64, 96, 128, 192, 256, 512}) {
    blocks.push_back(equal_block(size, most));
  }
  Plans plans;
  for (const std::int64_t features : nearest(std::move(blocks), plan.*block)) {
    ConvPlan other = plan;
    other.*block = features;
    plans.push_back(with_blocks(p, plan, std::move(other)));
  }
  return plans;
}

// Takes the pixels of an image as rows or as one long row (flat). A call takes equal parts of at most `most` pixels.
ConvPlan with_pixels(const ConvProblem& p, const ConvPlan& old, ConvPlan plan, bool flat, std::int64_t most) {
  plan.pixels = flat_if(flat);
  const std::int64_t cols = pixel_grid(p, plan.pixels).cols;
  plan.bq = equal_block(cols, most);
  return with_blocks(p, old, std::move(plan));
}

constexpr std::int64_t kLongRow = 256;

Plans flat_or_not(const ConvProblem& p, const ConvPlan& plan) {
  if (!can_be_flat(p)) return {};
  return {with_pixels(p, plan, plan, !plan.flat(), plan.bq), with_pixels(p, plan, plan, !plan.flat(), kLongRow)};
}

Plans sources(const ConvPlan& plan) {
  ConvPlan other = plan;
  other.src = plan.src == SrcAccess::cached ? SrcAccess::prefetch : SrcAccess::cached;
  return {other};
}

Plans weights_asked_for_or_not(const ConvPlan& plan) {
  ConvPlan other = plan;
  other.weights = plan.weights == WeightsAccess::cached ? WeightsAccess::prefetch : WeightsAccess::cached;
  return {other};
}

Plans destinations(const ConvPlan& plan) {
  Plans plans;
  for (const CAccess dst : {CAccess::stream, CAccess::prefetch, CAccess::cached}) {
    plans.push_back(plan);
    plans.back().dst = dst;
  }
  return plans;
}

Plans taps_in_k_or_not(const ConvProblem& p, const ConvPlan& plan) {
  if (p.S == 1) return {};  // with one tap per row both are the same
  ConvPlan other = plan;
  other.taps = plan.taps == Taps::k ? Taps::batch : Taps::k;
  return {other};
}

Plans with_loops(const ConvPlan& plan, std::vector<LoopSchedule> schedules) {
  Plans plans;
  for (LoopSchedule& loops : schedules) {
    plans.push_back(plan);
    plans.back().loops = std::move(loops);
  }
  return plans;
}

}  // namespace

std::vector<ConvPlan> conv_plan_neighbours(const ConvProblem& p, const ConvPlan& plan) {
  const LoopExtents extents = extents_of(p, plan);
  Plans kinds[] = {pixel_blocks(p, plan),
                   with_loops(plan, reordered(plan.loops)),
                   sources(plan),
                   destinations(plan),
                   weights_asked_for_or_not(plan),
                   taps_in_k_or_not(p, plan),
                   feature_blocks(p, plan, p.K, &ConvPlan::bk),
                   with_loops(plan, cut_otherwise(plan.loops, extents)),
                   feature_blocks(p, plan, p.C, &ConvPlan::bc),
                   with_loops(plan, spread_otherwise(plan.loops)),
                   flat_or_not(p, plan)};
  Plans all;
  for (std::size_t place = 0, most = 0; place == 0 || place < most; ++place) {
    for (Plans& kind : kinds) {
      most = std::max(most, kind.size());
      if (place >= kind.size()) continue;
      ConvPlan& next = kind[place];
      next.loops = settled(std::move(next.loops), extents_of(p, next));
      if (next != plan && std::ranges::find(all, next) == all.end()) all.push_back(std::move(next));
    }
  }
  return all;
}

}  // namespace brickwork
