// Groups of tiles of m x m pixels of dst, of any images: what a call of the brick multiplies in Winograd's algorithm.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "conv/conv_winograd_plan.hpp"
#include "conv/winograd_tiles.hpp"
#include "floats.hpp"
#include "integers.hpp"
#include "layout.hpp"
#include "loop_nest.hpp"
#include "result.hpp"

namespace brickwork {

struct WinogradLoop {
  enum : int { g, kb };
};

struct WinogradGroup {
  std::int64_t first, end;  // tiles, row by row and image by image

  std::int64_t size() const { return end - first; }
};

// Tiles that lie side by side.
struct WinogradRun {
  std::int64_t n, row, col;  // image, and the first one's first pixel of dst
  std::int64_t tiles;
  std::int64_t before;  // of the group's
};

class WinogradGroups {
 public:
  WinogradGroups(const ConvView& view, const WinogradPlan& plan)
      : view_(view), grid_(winograd_grid(view, plan.tile)), tile_(plan.tile), tiles_(plan.tiles) {}

  std::int64_t count() const { return ceil_div(grid_.all(), tiles_); }
  WinogradGroup operator[](std::int64_t i) const { return {i * tiles_, std::min((i + 1) * tiles_, grid_.all())}; }

  template <class Use>
  void for_each_run(const WinogradGroup& group, const Use& use) const {
    for (std::int64_t tile = group.first; tile < group.end;) {
      const std::int64_t col = tile % grid_.cols, tiles = std::min(grid_.cols - col, group.end - tile);
      use(WinogradRun{.n = tile / grid_.of_image(),
                      .row = tile % grid_.of_image() / grid_.cols * tile_,
                      .col = col * tile_,
                      .tiles = tiles,
                      .before = tile - group.first});
      tile += tiles;
    }
  }

  // To [place][cb][tile][bc], a group's tiles of all blocks of src.
  void transform(const ActivationLayout& layout, const float* src, const WinogradGroup& group, float* to,
                 std::int64_t next) const {
    for_each_run(group, [&](const WinogradRun& run) {
      for (std::int64_t cb = 0; cb < layout.Cb(); ++cb) {
        WinogradSrcTiles tiles{
            .rows = {}, .first = run.col - view_.pad_w, .columns = view_.W, .tiles = run.tiles, .bc = layout.bc};
        for (std::int64_t r = 0; r < tile_ + 2; ++r) {
          const std::int64_t h = run.row - view_.pad_h + r;
          tiles.rows[r] = h >= 0 && h < view_.H ? src + layout.pixel(run.n, cb, h, 0) : nullptr;
        }
        transform_src(tile_, tiles, to + (cb * tiles_ + run.before) * layout.bc, next);
      }
    });
  }

  // A run's of the block kb of dst, or of its gradient.
  template <class T>
  WinogradDstTiles<T> dst_tiles(const ActivationLayout& layout, T* dst, const WinogradRun& run, std::int64_t kb) const {
    WinogradDstTiles<T> tiles{.rows = {}, .columns = view_.cols - run.col, .tiles = run.tiles, .bk = layout.bc};
    for (std::int64_t r = 0; r < std::min(tile_, view_.rows - run.row); ++r) {
      tiles.rows[r] = dst + layout.pixel(run.n, kb, view_.first_h + run.row + r, view_.first_w + run.col);
    }
    return tiles;
  }

 private:
  ConvView view_;
  WinogradGrid grid_;
  std::int64_t tile_, tiles_;
};

// From place to place of so many tiles of so many features: a line more than they are, as places a power of two apart
// would meet in the same sets of L1.
constexpr std::int64_t next_winograd_place(std::int64_t tiles, std::int64_t features) {
  return whole_blocks(tiles * features, kFloatsOfLine) + kFloatsOfLine;
}

// Of a group's tiles of all Cb blocks of src, and of a block of dst.
inline std::int64_t winograd_scratch_bytes(std::int64_t Cb, const WinogradPlan& plan) {
  const std::int64_t places = next_winograd_place(Cb * plan.tiles, plan.bc) + next_winograd_place(plan.tiles, plan.bk);
  return winograd_places(plan.tile) * places * static_cast<std::int64_t>(sizeof(float));
}

// So many blocks of K share a group's tiles of src, which a task transforms for the first of them.
inline Result<std::int64_t> blocks_of_a_group(const LoopNest& nest, const WinogradPlan& plan) {
  if (const auto blocks = nest.in_a_row(WinogradLoop::kb, WinogradLoop::g)) return *blocks;
  return Result<std::int64_t>::misfit(fmt::format(
      "plan '{}': steps of kb outside g must divide each other, as its blocks inside share a group's tiles of src",
      to_string(plan)));
}

}  // namespace brickwork
