#include "primitives/conv/winograd/conv_winograd_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/base/floats.hpp"
#include "primitives/conv/winograd/winograd_tiles.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/planning/plan_text.hpp"

namespace brickwork {

const SizeTable<WinogradPlan>& WinogradPlan::table() {
  using P = WinogradPlan;
  static const auto table = plan_words<WinogradPlan>(
      "winograd plan",
      {{"bc=", "bc", &P::bc}, {"bk=", "bk", &P::bk}, {"tile=", "tile", &P::tile}, {"tiles=", "tiles", &P::tiles}});
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
      "Winograd's algorithm needs a 3 x 3 kernel with stride 1, but this kernel is {} x {} with stride {} x {}", p.R,
      p.S, stride_h, stride_w);
}

namespace {

// Work is in multiply-adds that the machine does in that time, measured on a Zen 4. A tile's transforms, per feature.
constexpr double transform_work(std::int64_t tile) { return tile == 2 ? 80 : 270; }
// An element of the transformed weights: reading it for a group, and making it. It comes from L3 or from memory. Other
// programs share the memory, so times vary: one image of 512 features takes 0.59 to 1.1 ms in tiles of 4 x 4, whose
// weights L3 does not hold, and 0.60 to 0.66 ms in tiles of 2 x 2.
struct WeightWork {
  double read, made;
};
constexpr WeightWork kNearWeights{1, 8}, kFarWeights{4, 25};

// The most tiles of a group: as many tiles of src and of a block of dst as half of a core's L2 holds, or `enough` if
// that is more, but no more than a task's memory holds (gathers_too_much).
std::int64_t most_tiles(const ConvView& p, const WinogradPlan& plan, const MachineModel& machine, std::int64_t enough) {
  constexpr std::int64_t kMostBytes = 8 << 20;
  const std::int64_t bytes = winograd_places(plan.tile) * (p.C + plan.bk) * static_cast<std::int64_t>(sizeof(float));
  return clamp(std::max(machine.l2_bytes / 2 / bytes, enough), 1, std::max<std::int64_t>(kMostBytes / bytes, 1));
}

// Threads share the tiles, or K. If they share K, each thread transforms all tiles of src itself.
enum class Shares { of_tiles, of_features };

// The plan with equal groups of tiles, and with loops for these shares.
WinogradPlan shared_out(const ConvView& p, WinogradPlan plan, const MachineModel& machine, Shares shares,
                        std::int64_t enough) {
  const std::int64_t tiles = winograd_grid(p, plan.tile).all(), Kb = ceil_div(p.K, plan.bk);
  const bool of_tiles = shares == Shares::of_tiles;
  const std::int64_t threads = of_tiles ? std::min<std::int64_t>(machine.threads, tiles) : 1;
  plan.tiles = equal_block(ceil_div(tiles, threads), most_tiles(p, plan, machine, enough));
  const std::int64_t of_task = ceil_div(of_tiles ? ceil_div(tiles, plan.tiles) : Kb, machine.threads);
  const char* const shared = of_tiles ? "g" : "kb";
  plan.loops = parse_loop_schedule(of_task > 1 ? fmt::format("{{{}:{}}} g kb", shared, of_task)
                                   : of_tiles  ? "{g} kb"
                                               : "{kb} g");
  return plan;
}

double work(const ConvView& p, const WinogradPlan& plan, const MachineModel& machine, Shares shares,
            WinogradWeights weights) {
  const std::int64_t tiles = winograd_grid(p, plan.tile).all(), groups = ceil_div(tiles, plan.tiles);
  const auto C = static_cast<double>(whole_blocks(p.C, kFloatsOfVector)),
             K = static_cast<double>(whole_blocks(p.K, kFloatsOfVector));
  const double elements = static_cast<double>(winograd_places(plan.tile) * p.C) * K;
  const WeightWork of = machine.l3_holds(elements * sizeof(float)) ? kNearWeights : kFarWeights;
  const bool of_tiles = shares == Shares::of_tiles;
  const double products = elements * (static_cast<double>(tiles) + static_cast<double>(groups) * of.read);
  const double transforms =
      static_cast<double>(tiles) * transform_work(plan.tile) * (C * (of_tiles ? 1 : machine.threads) + K);
  return (products + transforms) * machine.imbalance(of_tiles ? groups : ceil_div(p.K, plan.bk)) +
         (weights == WinogradWeights::of_run ? elements * of.made : 0);
}

struct Choice {
  WinogradPlan plan;
  double work = std::numeric_limits<double>::infinity();
};

// In an update threads share K if their copies of the sums would not stay in L3 and K loads the threads evenly.
Shares shares_of_update(const ConvView& p, const WinogradPlan& plan, const MachineModel& machine) {
  const std::int64_t sums = winograd_places(plan.tile) * p.C * p.K * static_cast<std::int64_t>(sizeof(float));
  const bool copies_fit = machine.threads * sums <= machine.l3_bytes / 2;
  return copies_fit || machine.imbalance(ceil_div(p.K, plan.bk)) >= 1.1 ? Shares::of_tiles : Shares::of_features;
}

enum class WinogradPass { forward, update };

Choice best_of(WinogradPass pass, const ConvView& p, const MachineModel& machine, WinogradWeights weights,
               FeatureBlocks blocks) {
  // Tiles of a group that amortise reading the weights from L2 or L3 (forward), or adding products to the sums
  // (update).
  const std::int64_t enough = pass == WinogradPass::forward ? 56 : 112;
  Choice best;
  for (const std::int64_t tile : kWinogradTiles) {
    const WinogradPlan of_tile{.bc = blocks.bc > 0 ? blocks.bc : machine.block_of(p.C),
                               .bk = blocks.bk > 0 ? blocks.bk : machine.block_of(p.K),
                               .tile = tile};
    for (const Shares shares : {Shares::of_tiles, Shares::of_features}) {
      if (pass == WinogradPass::update && shares != shares_of_update(p, of_tile, machine)) continue;
      const WinogradPlan plan = shared_out(p, of_tile, machine, shares, enough);
      if (const double takes = work(p, plan, machine, shares, weights); takes < best.work) best = {plan, takes};
    }
  }
  return best;
}

}  // namespace

WinogradPlan plan_winograd(const ConvView& p, const MachineModel& machine, WinogradWeights weights,
                           FeatureBlocks blocks) {
  return best_of(WinogradPass::forward, p, machine, weights, blocks).plan;
}

WinogradPlan plan_winograd_update(const ConvView& p, const MachineModel& machine, FeatureBlocks blocks) {
  return best_of(WinogradPass::update, p, machine, WinogradWeights::of_run, blocks).plan;
}

bool winograd_pays(const ConvView& p, const MachineModel& machine) {
  if (!winograd_lacks(p).empty()) return false;
  const double direct = 9 * static_cast<double>(p.N * p.rows * p.cols * p.C * whole_blocks(p.K, kFloatsOfVector));
  return best_of(WinogradPass::forward, p, machine, WinogradWeights::of_run, {}).work < direct;
}

}  // namespace brickwork
