#include "primitives/conv/winograd/winograd_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string>

#include "kernels/base/floats.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// Why the plan without its loops does not fit, or an empty string.
std::string winograd_misfit(const ConvView& p, const WinogradPlan& plan) {
  if (std::ranges::find(kWinogradTiles, plan.tile) == std::end(kWinogradTiles)) {
    return fmt::format("tile must be {}", fmt::join(kWinogradTiles, " or "));
  }
  const std::int64_t tiles = winograd_grid(p, plan.tile).all();
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (outside(plan.bc, p.C)) return fmt::format("bc must be from 1 to C = {}", p.C);
  if (outside(plan.bk, p.K)) return fmt::format("bk must be from 1 to K = {}", p.K);
  if (outside(plan.tiles, tiles)) return fmt::format("tiles must be from 1 to {}, the number of dst's tiles", tiles);
  if (std::max({plan.bc, plan.bk, plan.tiles}) > std::numeric_limits<int>::max()) {
    return "the brick's m, n and k must be below 2^31";
  }
  return {};
}

}  // namespace

Result<WinogradGroups> WinogradGroups::make(const ConvView& view, const WinogradPlan& plan, LoopKind groups) {
  if (const std::string why = winograd_lacks(view); !why.empty()) return Result<WinogradGroups>::unsupported(why);
  const auto misfit = [&](const std::string& what) {
    return Result<WinogradGroups>::misfit(fmt::format("plan '{}': {}", to_string(plan), what));
  };
  if (const std::string what = winograd_misfit(view, plan); !what.empty()) return misfit(what);
  const auto nest = LoopNest::make(
      {{.name = "g", .extent = ceil_div(winograd_grid(view, plan.tile).all(), plan.tiles), .kind = groups},
       {.name = "kb", .extent = ceil_div(view.K, plan.bk)}},
      plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  const auto kb_of_group = nest->in_a_row(WinogradLoop::kb, WinogradLoop::g);
  if (!kb_of_group) {
    return misfit(
        "steps of kb outside g must divide each other, as blocks of kb inside g share a group's tiles of src");
  }
  const WinogradGroups made{.view = view,
                            .plan = plan,
                            .src = src_layout_of(view, plan.bc),
                            .dst = dst_layout_of(view, plan.bk),
                            .nest = *nest,
                            .kb_of_group = *kb_of_group,
                            .transforms = winograd_transforms(plan.tile)};
  if (const std::string why = gathers_too_much(made.scratch_bytes(), "tiles of src"); !why.empty()) return misfit(why);
  return made;
}

std::int64_t WinogradGroups::next_place(std::int64_t tiles, std::int64_t features) {
  return whole_blocks(tiles * features, kFloatsOfLine) + kFloatsOfLine;
}

std::int64_t WinogradGroups::scratch_bytes() const {
  return places() * (next_src() + next_dst()) * static_cast<std::int64_t>(sizeof(float));
}

WinogradTask WinogradGroups::begin(const LoopIndex& at, const float* of_src) const {
  const std::int64_t first = at[WinogradLoop::g].begin * plan.tiles;
  const WinogradTask task{.kb = at[WinogradLoop::kb].begin,
                          .tile = first,
                          .end = std::min(first + plan.tiles, winograd_grid(view, plan.tile).all()),
                          .of_src = at.scratch<float>(),
                          .of_dst = at.scratch<float>() + places() * next_src()};
  if (task.kb % kb_of_group != 0) return task;
  for_each_run(task, [&](const WinogradRun& run) {
    for (std::int64_t cb = 0; cb < src.Cb(); ++cb) {
      WinogradSrcTiles tiles{
          .rows = {}, .first = run.col - view.pad_w, .columns = view.W, .tiles = run.tiles, .bc = plan.bc};
      for (std::int64_t r = 0; r < plan.tile + 2; ++r) {
        const std::int64_t h = run.row - view.pad_h + r;
        tiles.rows[r] = h >= 0 && h < view.H ? of_src + src.pixel(run.n, cb, h, 0) : nullptr;
      }
      transforms.src(tiles, task.of_src + (cb * plan.tiles + run.before) * plan.bc, next_src());
    }
  });
  for (std::int64_t block = 0; block < places() * src.Cb(); ++block) {
    fill_up(task.of_src + block / src.Cb() * next_src() + block % src.Cb() * plan.tiles * plan.bc, task, plan.bc);
  }
  return task;
}

}  // namespace brickwork
