// Winograd's algorithm around its products: groups of tiles of m x m pixels of dst, of any images, as a plan has them.
// A call of the brick multiplies a group's tiles, one place of their transforms at a time.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/base/result.hpp"
#include "kernels/layout/layout.hpp"
#include "primitives/conv/winograd/conv_winograd_plan.hpp"
#include "primitives/conv/winograd/winograd_tiles.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

struct WinogradLoop {
  enum : int { g, kb };
};

// Tiles that lie side by side.
struct WinogradRun {
  std::int64_t n, row, col;  // image, and the first one's first pixel of dst
  std::int64_t tiles;
  std::int64_t before;  // of the group's
};

// What a call of the body computes with, forward and in the weight update alike; its matrices are in the task's
// scratch.
struct WinogradTask {
  std::int64_t kb;         // the block of output features
  std::int64_t tile, end;  // the group's, row by row and image by image
  float *of_src, *of_dst;  // [place][cb][tile][bc] and [place][tile][bk], transformed
  std::int64_t size() const { return end - tile; }
};

struct WinogradGroups {
  // Unsupported where the convolution is not of 3 x 3 and stride 1; a misfit where the plan does not fit it. `groups`:
  // what they are to each other.
  static Result<WinogradGroups> make(const ConvView&, const WinogradPlan&, LoopKind groups);

  ConvView view;
  WinogradPlan plan;
  ActivationLayout src, dst;
  LoopNest nest;
  std::int64_t kb_of_group;  // blocks of K for which a group's tiles of src are transformed once
  WinogradTransforms transforms;

  std::int64_t places() const { return winograd_places(plan.tile); }
  std::int64_t next_src() const { return next_place(src.Cb() * plan.tiles, plan.bc); }
  std::int64_t next_dst() const { return next_place(plan.tiles, plan.bk); }
  std::int64_t scratch_bytes() const;

  // Floats of the transformed weights, [K/bk][place][C/bc][bc][bk], or of their gradient, and how far apart places are.
  std::int64_t weights_size() const { return dst.Cb() * places() * weights_of_place(); }
  std::int64_t weights_of_place() const { return src.Cb() * plan.bc * plan.bk; }
  std::int64_t weights_of(std::int64_t kb, std::int64_t place) const {
    return (kb * places() + place) * weights_of_place();
  }

  // The loops are g, over groups of tiles, and kb, over blocks of output features. For the first of these in a row this
  // transforms the group's tiles of src, for all others they are there. Tiles that the last group lacks are zeros.
  WinogradTask begin(const LoopIndex&, const float* of_src) const;

  template <class Use>
  void for_each_run(const WinogradTask& task, const Use& use) const {
    const WinogradGrid grid = winograd_grid(view, plan.tile);
    for (std::int64_t tile = task.tile; tile < task.end;) {
      const std::int64_t col = tile % grid.cols, tiles = std::min(grid.cols - col, task.end - tile);
      use(WinogradRun{.n = tile / grid.of_image(),
                      .row = tile % grid.of_image() / grid.cols * plan.tile,
                      .col = col * plan.tile,
                      .tiles = tiles,
                      .before = tile - task.tile});
      tile += tiles;
    }
  }

  // A run's of the block kb of dst, or of its gradient.
  template <class T>
  WinogradDstTiles<T> dst_tiles(T* tensor, const WinogradRun& run, std::int64_t kb) const {
    WinogradDstTiles<T> tiles{.rows = {}, .columns = view.cols - run.col, .tiles = run.tiles, .bk = plan.bk};
    for (std::int64_t r = 0; r < std::min(plan.tile, view.rows - run.row); ++r) {
      tiles.rows[r] = tensor + dst.pixel(run.n, kb, view.first_h + run.row + r, view.first_w + run.col);
    }
    return tiles;
  }

  // Zeros for the tiles that the group lacks, of a matrix of all.
  void fill_up(float* matrix, const WinogradTask& task, std::int64_t features) const {
    std::fill(matrix + task.size() * features, matrix + plan.tiles * features, 0.0F);
  }

 private:
  // From place to place of so many tiles of so many features: a line more than they are, as places a power of two
  // apart would meet in the same sets of L1.
  static std::int64_t next_place(std::int64_t tiles, std::int64_t features);
};

}  // namespace brickwork
