#include "conv/conv_winograd_plan.hpp"

#include <fmt/format.h>

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
                                                       {.key = "tiles=", .column = "tiles", .member = &P::tiles}},
                                             .words = {},
                                             .separator = ' ',
                                             .default_words = true};
  return table;
}

std::string to_string(const WinogradPlan& plan) { return plan_text(plan); }

WinogradPlan parse_winograd_plan(std::string_view text) { return parse_plan<WinogradPlan>(text); }

bool is_winograd_plan(std::string_view text) { return text.find("tiles=") != std::string_view::npos; }

WinogradGrid winograd_grid(const ConvView& p) {
  return {p.N, ceil_div(p.rows, kWinogradTile), ceil_div(p.cols, kWinogradTile)};
}

std::string winograd_lacks(const ConvView& p) {
  const std::int64_t stride_h = std::max(p.stride_h, p.step_h), stride_w = std::max(p.stride_w, p.step_w);
  if (p.R == 3 && p.S == 3 && stride_h == 1 && stride_w == 1) return {};
  return fmt::format(
      "Winograd's algorithm is for kernels of 3 x 3 and stride 1, and this one is of {} x {} and {} x {}", p.R, p.S,
      stride_h, stride_w);
}

std::string winograd_misfit(const ConvView& p, const WinogradPlan& plan) {
  const std::int64_t tiles = winograd_grid(p).all();
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

WinogradPlan blocks_of(const ConvView& p, const MachineModel& machine, FeatureBlocks blocks) {
  return {.bc = blocks.bc > 0 ? blocks.bc : machine.block_of(p.C),
          .bk = blocks.bk > 0 ? blocks.bk : machine.block_of(p.K)};
}

// So many tiles of src, and of a block of dst, as half of a core's L2 holds, or, where these are not enough, as a
// task's memory does (conv_gather.hpp).
std::int64_t most_tiles(const ConvView& p, const WinogradPlan& plan, const MachineModel& machine, std::int64_t enough) {
  constexpr std::int64_t kMostBytes = 8 << 20;
  const std::int64_t bytes = kWinogradPlaces * (p.C + plan.bk) * static_cast<std::int64_t>(sizeof(float));
  return clamp(std::max(machine.l2_bytes / 2 / bytes, enough), 1, std::max<std::int64_t>(kMostBytes / bytes, 1));
}

}  // namespace

WinogradPlan plan_winograd(const ConvView& p, const MachineModel& machine, FeatureBlocks blocks) {
  WinogradPlan plan = blocks_of(p, machine, blocks);
  plan.loops = parse_loop_schedule("{g} kb");
  const std::int64_t tiles = winograd_grid(p).all();
  // Enough for a pass over the weights, which come from L2 or L3.
  constexpr std::int64_t kEnough = 56;
  const std::int64_t most = most_tiles(p, plan, machine, kEnough);
  const std::int64_t shares = std::min(tiles, machine.threads * ceil_div(tiles, machine.threads * most));
  plan.tiles = ceil_div(tiles, shares);
  return plan;
}

// Each thread adds up its share of the tiles, or has its share of K, with tiles of src of its own.
WinogradPlan plan_winograd_update(const ConvView& p, const MachineModel& machine, FeatureBlocks blocks) {
  WinogradPlan plan = blocks_of(p, machine, blocks);
  const std::int64_t tiles = winograd_grid(p).all(), Kb = ceil_div(p.K, plan.bk);
  constexpr std::int64_t kEnough = 112;  // for the sums, which a group's products are added to
  const std::int64_t most = most_tiles(p, plan, machine, kEnough);
  const std::int64_t sums = kWinogradPlaces * p.C * p.K * static_cast<std::int64_t>(sizeof(float));
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

bool winograd_pays(const ConvView& p, const MachineModel& machine) {
  if (!winograd_lacks(p).empty()) return false;
  // In multiply-adds of a vector: a pixel's or an element's transform takes about so many.
  constexpr double kSrc = 50, kDst = 40, kWeights = 40;
  const std::int64_t all = winograd_grid(p).all();
  const double tiles = static_cast<double>(all);
  const double C = static_cast<double>(p.C), K = static_cast<double>(p.K);
  const double direct = 9 * static_cast<double>(p.N * p.rows * p.cols) * C * K;
  const double winograd = tiles * (kWinogradPlaces * C * K + kSrc * C + kDst * K) + kWeights * C * K;
  return winograd * machine.imbalance(ceil_div(all, plan_winograd(p, machine).tiles)) < direct;
}

}  // namespace brickwork
