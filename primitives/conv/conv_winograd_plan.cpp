#include "conv/conv_winograd_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "conv/conv_gather.hpp"
#include "conv/winograd_groups.hpp"
#include "integers.hpp"
#include "plan_text.hpp"

namespace brickwork {

const SizeTable<WinogradPlan>& WinogradPlan::table() {
  using P = WinogradPlan;
  static const SizeTable<WinogradPlan> table{.kind = "winograd plan",
                                             .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc},
                                                       {.key = "bk=", .column = "bk", .member = &P::bk},
                                                       {.key = "tile=", .column = "tile", .member = &P::tile},
                                                       {.key = "tiles=", .column = "tiles", .member = &P::tiles}},
                                             .words = {},
                                             .separator = ' ',
                                             .default_words = true};
  return table;
}

std::string to_string(const WinogradPlan& plan) { return plan_text(plan); }

WinogradPlan parse_winograd_plan(std::string_view text) { return parse_plan<WinogradPlan>(text); }

bool is_winograd_plan(std::string_view text) { return text.find("tiles=") != std::string_view::npos; }

WinogradGrid winograd_grid(const ConvView& p, std::int64_t tile) {
  return {p.N, ceil_div(p.rows, tile), ceil_div(p.cols, tile)};
}

std::string winograd_lacks(const ConvView& p) {
  const std::int64_t stride_h = std::max(p.stride_h, p.step_h), stride_w = std::max(p.stride_w, p.step_w);
  if (p.R == 3 && p.S == 3 && stride_h == 1 && stride_w == 1) return {};
  return fmt::format(
      "Winograd's algorithm is for kernels of 3 x 3 and stride 1, and this one is of {} x {} and {} x {}", p.R, p.S,
      stride_h, stride_w);
}

std::string winograd_misfit(const ConvView& p, const WinogradPlan& plan) {
  if (std::ranges::find(kWinogradTiles, plan.tile) == std::end(kWinogradTiles)) {
    return fmt::format("plan '{}': tile must be {}", to_string(plan), fmt::join(kWinogradTiles, " or "));
  }
  const std::int64_t tiles = winograd_grid(p, plan.tile).all();
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  const auto what = [&]() -> std::string {
    if (outside(plan.bc, p.C)) return fmt::format("bc must be from 1 to C = {}", p.C);
    if (outside(plan.bk, p.K)) return fmt::format("bk must be from 1 to K = {}", p.K);
    if (outside(plan.tiles, tiles)) return fmt::format("tiles must be from 1 to {}, as many as dst has", tiles);
    if (std::max({plan.bc, plan.bk, plan.tiles}) > std::numeric_limits<int>::max()) {
      return "the brick's m, n and k must be below 2^31";
    }
    return gathers_too_much(winograd_scratch_bytes(ceil_div(p.C, plan.bc), plan), "tiles of src");
  }();
  return what.empty() ? what : fmt::format("plan '{}': {}", to_string(plan), what);
}

namespace {

// The widest, in floats: so many features are multiplied and transformed at a time.
constexpr std::int64_t kVector = 16;

// In multiply-adds that the machine does meanwhile: what a tile's transforms take for a feature.
constexpr double transform_work(std::int64_t tile) { return tile == 2 ? 80 : 270; }
// The same of an element of the transformed weights: that a thread waits for it, and that it is made. It comes from L3,
// or from memory. All these were seen on a Zen 4.
struct WeightWork {
  double read, made;
};
constexpr WeightWork kNearWeights{3, 8}, kFarWeights{6.5, 25};

double work(const ConvView& p, const WinogradPlan& plan, const MachineModel& machine, WinogradWeights weights) {
  const std::int64_t tiles = winograd_grid(p, plan.tile).all(), groups = ceil_div(tiles, plan.tiles);
  const double K = static_cast<double>(whole_blocks(p.K, kVector)), C = static_cast<double>(whole_blocks(p.C, kVector));
  const double elements = static_cast<double>(winograd_places(plan.tile) * p.C) * K;
  const WeightWork of = machine.l3_holds(elements * sizeof(float)) ? kNearWeights : kFarWeights;
  const double products = static_cast<double>(groups) * elements * std::max(static_cast<double>(plan.tiles), of.read);
  const double transforms = static_cast<double>(tiles) * transform_work(plan.tile) * (C + K);
  return (products + transforms) * machine.imbalance(groups) +
         (weights == WinogradWeights::of_run ? elements * of.made : 0);
}

// Of plan_of(plan that has blocks and tile) the one of the least work.
template <class PlanOf>
WinogradPlan best_of_tiles(const ConvView& p, const MachineModel& machine, WinogradWeights weights,
                           FeatureBlocks blocks, const PlanOf& plan_of) {
  WinogradPlan best;
  for (const std::int64_t tile : kWinogradTiles) {
    const WinogradPlan plan = plan_of({.bc = blocks.bc > 0 ? blocks.bc : machine.block_of(p.C),
                                       .bk = blocks.bk > 0 ? blocks.bk : machine.block_of(p.K),
                                       .tile = tile});
    if (best.tile == 0 || work(p, plan, machine, weights) < work(p, best, machine, weights)) best = plan;
  }
  return best;
}

// So many tiles of src, and of a block of dst, as half of a core's L2 holds, or, where these are not enough, as a
// task's memory does (conv_gather.hpp).
std::int64_t most_tiles(const ConvView& p, const WinogradPlan& plan, const MachineModel& machine, std::int64_t enough) {
  constexpr std::int64_t kMostBytes = 8 << 20;
  const std::int64_t bytes = winograd_places(plan.tile) * (p.C + plan.bk) * static_cast<std::int64_t>(sizeof(float));
  return clamp(std::max(machine.l2_bytes / 2 / bytes, enough), 1, std::max<std::int64_t>(kMostBytes / bytes, 1));
}

WinogradPlan with_tiles(const ConvView& p, WinogradPlan plan, const MachineModel& machine) {
  plan.loops = parse_loop_schedule("{g} kb");
  const std::int64_t tiles = winograd_grid(p, plan.tile).all();
  // Enough for a pass over the weights, which come from L2 or L3.
  constexpr std::int64_t kEnough = 56;
  const std::int64_t most = most_tiles(p, plan, machine, kEnough);
  const std::int64_t shares = std::min(tiles, machine.threads * ceil_div(tiles, machine.threads * most));
  plan.tiles = ceil_div(tiles, shares);
  return plan;
}

// Each thread adds up its share of the tiles, or has its share of K, with tiles of src of its own.
WinogradPlan with_tiles_of_update(const ConvView& p, WinogradPlan plan, const MachineModel& machine) {
  const std::int64_t tiles = winograd_grid(p, plan.tile).all(), Kb = ceil_div(p.K, plan.bk);
  constexpr std::int64_t kEnough = 112;  // for the sums, which a group's products are added to
  const std::int64_t most = most_tiles(p, plan, machine, kEnough);
  const std::int64_t sums = winograd_places(plan.tile) * p.C * p.K * static_cast<std::int64_t>(sizeof(float));
  const bool by_features = machine.threads * sums > machine.l3_bytes / 2 && machine.imbalance(Kb) < 1.1;
  const std::int64_t shares = by_features ? 1 : std::min<std::int64_t>(machine.threads, tiles);
  plan.tiles = equal_block(ceil_div(tiles, shares), most);
  const std::int64_t groups = ceil_div(tiles, plan.tiles);
  const std::int64_t of_task = by_features ? ceil_div(Kb, machine.threads) : ceil_div(groups, shares);
  const char* const outer = by_features ? "kb" : "g";
  plan.loops = parse_loop_schedule(of_task > 1   ? fmt::format("{{{}:{}}} g kb", outer, of_task)
                                   : by_features ? "{kb} g"
                                                 : "{g} kb");
  return plan;
}

}  // namespace

WinogradPlan plan_winograd(const ConvView& p, const MachineModel& machine, WinogradWeights weights,
                           FeatureBlocks blocks) {
  return best_of_tiles(p, machine, weights, blocks,
                       [&](const WinogradPlan& plan) { return with_tiles(p, plan, machine); });
}

WinogradPlan plan_winograd_update(const ConvView& p, const MachineModel& machine, FeatureBlocks blocks) {
  return best_of_tiles(p, machine, WinogradWeights::of_run, blocks,
                       [&](const WinogradPlan& plan) { return with_tiles_of_update(p, plan, machine); });
}

bool winograd_pays(const ConvView& p, const MachineModel& machine) {
  if (!winograd_lacks(p).empty()) return false;
  constexpr auto kWeights = WinogradWeights::of_run;
  const double direct = 9 * static_cast<double>(p.N * p.rows * p.cols * p.C * whole_blocks(p.K, kVector));
  return work(p, plan_winograd(p, machine, kWeights), machine, kWeights) < direct;
}

}  // namespace brickwork
