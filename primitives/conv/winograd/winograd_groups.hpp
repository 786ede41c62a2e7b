// The loops of Winograd's algorithm, which all passes share. Tiles of m x m pixels of dst, of any images, form groups.
// A brick call multiplies a group's tiles at one place of their transforms.
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

// Neighbouring tiles of one row of tiles.
struct WinogradRun {
  std::int64_t n, row, col;  // image, and first pixel of the first tile in dst
  std::int64_t tiles;
  std::int64_t before;  // tiles of the group before this run
};

// The data of one call of the body, in all passes. Its matrices are in the task's scratch.
struct WinogradTask {
  std::int64_t kb;         // the block of output features
  std::int64_t tile, end;  // the group's tiles are tile .. end - 1, counted row by row and image by image
  float *of_src, *of_dst;  // [place][cb][tile][bc] and [place][tile][bk], transformed
  std::int64_t size() const { return end - tile; }
};

struct WinogradGroups {
  // Returns unsupported if the kernel is not 3 x 3 with stride 1, and a misfit if the plan does not fit. `groups` is
  // the kind of the loop over groups.
  static Result<WinogradGroups> make(const ConvView&, const WinogradPlan&, LoopKind groups);

  ConvView view;
  WinogradPlan plan;
  ActivationLayout src, dst;
  LoopNest nest;
  std::int64_t kb_of_group;  // consecutive blocks of K that share the transformed tiles of src
  WinogradTransforms transforms;

  std::int64_t places() const { return winograd_places(plan.tile); }
  std::int64_t next_src() const { return next_place(src.Cb() * plan.tiles, plan.bc); }
  std::int64_t next_dst() const { return next_place(plan.tiles, plan.bk); }
  std::int64_t scratch_bytes() const;

  // For transformed weights [K/bk][place][C/bc][bc][bk], and for their gradient: the number of floats, the distance
  // between places, and the index of a place.
  std::int64_t weights_size() const { return dst.Cb() * places() * weights_of_place(); }
  std::int64_t weights_of_place() const { return src.Cb() * plan.bc * plan.bk; }
  std::int64_t weights_of(std::int64_t kb, std::int64_t place) const {
    return (kb * places() + place) * weights_of_place();
  }

  // Begins a call of the body. The loops are g over groups of tiles, and kb over blocks of output features. The first
  // of kb_of_group blocks transforms the group's tiles of src; the others find them in the scratch. Missing tiles of
  // the last group are zeros.
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

  // The run's tiles in block kb of dst or of its gradient.
  template <class T>
  WinogradDstTiles<T> dst_tiles(T* tensor, const WinogradRun& run, std::int64_t kb) const {
    WinogradDstTiles<T> tiles{.rows = {}, .columns = view.cols - run.col, .tiles = run.tiles, .bk = plan.bk};
    for (std::int64_t r = 0; r < std::min(plan.tile, view.rows - run.row); ++r) {
      tiles.rows[r] = tensor + dst.pixel(run.n, kb, view.first_h + run.row + r, view.first_w + run.col);
    }
    return tiles;
  }

  // Fills the rows of missing tiles of a matrix with zeros.
  void fill_up(float* matrix, const WinogradTask& task, std::int64_t features) const {
    std::fill(matrix + task.size() * features, matrix + plan.tiles * features, 0.0F);
  }

 private:
  // Distance between the matrices of two places: their size and one more cache line, as matrices a power of two apart
  // would use the same sets of L1.
  static std::int64_t next_place(std::int64_t tiles, std::int64_t features);
};

}  // namespace brickwork
