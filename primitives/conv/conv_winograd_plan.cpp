#include "conv/conv_winograd_plan.hpp"

#include <algorithm>

#include "conv/winograd_tiles.hpp"
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

WinogradGrid winograd_grid(const ConvView& p) {
  return {ceil_div(p.rows, kWinogradTile), ceil_div(p.cols, kWinogradTile)};
}

bool can_be_winograd(const ConvView& p) {
  return p.R == 3 && p.S == 3 && p.stride_h == 1 && p.stride_w == 1 && p.step_h == 1 && p.step_w == 1;
}

WinogradPlan plan_winograd(const ConvView& p, const MachineModel& machine, FeatureBlocks blocks) {
  WinogradPlan plan{.bc = blocks.bc > 0 ? blocks.bc : machine.block_of(p.C),
                    .bk = blocks.bk > 0 ? blocks.bk : machine.block_of(p.K),
                    .loops = parse_loop_schedule("{g} kb")};
  const std::int64_t tiles = p.N * winograd_grid(p).of_image();
  // A task's tiles of src and of a block of dst stay in its L2, as far as that leaves enough of them for a pass over
  // the weights, which come from there, or from L3.
  constexpr std::int64_t kEnough = 56;
  const std::int64_t of_a_tile = kWinogradPlaces * (p.C + plan.bk) * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t most = std::max(machine.l2_bytes / 2 / of_a_tile, kEnough);
  const std::int64_t shares = std::min(tiles, machine.threads * ceil_div(tiles, machine.threads * most));
  plan.tiles = ceil_div(tiles, shares);
  return plan;
}

bool winograd_pays(const ConvView& p, const MachineModel& machine) {
  if (!can_be_winograd(p)) return false;
  // In multiply-adds of a vector: a pixel's or an element's transform takes about so many.
  constexpr double kSrc = 50, kDst = 40, kWeights = 40;
  const double tiles = static_cast<double>(p.N * winograd_grid(p).of_image());
  const double C = static_cast<double>(p.C), K = static_cast<double>(p.K);
  const double direct = 9 * static_cast<double>(p.N * p.rows * p.cols) * C * K;
  const double winograd = tiles * (kWinogradPlaces * C * K + kSrc * C + kDst * K) + kWeights * C * K;
  return winograd * machine.imbalance(ceil_div(p.N * winograd_grid(p).of_image(), plan_winograd(p, machine).tiles)) <
         direct;
}

}  // namespace brickwork
