#include "conv/conv_winograd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "conv/conv_gather.hpp"
#include "integers.hpp"
#include "league.hpp"
#include "transpose.hpp"

namespace brickwork {
namespace {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

enum WinogradLoop { kG, kKb };

constexpr std::int64_t kLine = 16;  // floats of a cache line

// From place to place of so many tiles of so many features: a line more than they are, as places a power of two apart
// would meet in the same sets of L1.
constexpr std::int64_t next_place(std::int64_t tiles, std::int64_t features) {
  return whole_blocks(tiles * features, kLine) + kLine;
}

std::string misfit(const ConvView& p, const WinogradPlan& plan) {
  const std::int64_t tiles = p.N * winograd_grid(p).of_image();
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (outside(plan.bc, p.C)) return fmt::format("bc must be from 1 to C = {}", p.C);
  if (outside(plan.bk, p.K)) return fmt::format("bk must be from 1 to K = {}", p.K);
  if (outside(plan.tiles, tiles)) return fmt::format("tiles must be from 1 to {}, as many as dst has", tiles);
  if (std::max({plan.bc, plan.bk, plan.tiles}) > std::numeric_limits<int>::max()) {
    return "the brick's m, n and k must be below 2^31";
  }
  return {};
}

}  // namespace

// Two loops around the brick: g, of groups of tiles, and kb, of blocks of output features. For the first of these the
// group's tiles of src are transformed, for all others they are there.
struct ConvWinograd::Body {
  const ConvWinograd& conv;
  const float *src, *weights, *bias, *residual, *at;
  float* dst;

  // use(image, row and column of the first tile, how many tiles, how many of the group lie before) for the tiles of a
  // group that lie side by side.
  template <class Use>
  void for_each_run(std::int64_t first, std::int64_t end, const Use& use) const {
    const WinogradGrid grid = winograd_grid(conv.view_);
    for (std::int64_t tile = first; tile < end;) {
      const std::int64_t n = tile / grid.of_image(), row = tile % grid.of_image() / grid.cols, col = tile % grid.cols;
      const std::int64_t count = std::min(grid.cols - col, end - tile);
      use(n, row * kWinogradTile, col * kWinogradTile, count, tile - first);
      tile += count;
    }
  }

  void transform_group(std::int64_t first, std::int64_t end, float* to, std::int64_t next) const {
    const ConvView& v = conv.view_;
    for_each_run(first, end, [&](auto n, auto row, auto col, auto count, auto before) {
      for (std::int64_t cb = 0; cb < conv.src_.Cb(); ++cb) {
        WinogradSrcTiles tiles{.rows = {}, .first = col - v.pad_w, .columns = v.W, .tiles = count, .bc = conv.plan_.bc};
        for (std::int64_t r = 0; r < 4; ++r) {
          const std::int64_t h = row - v.pad_h + r;
          tiles.rows[r] = h >= 0 && h < v.H ? src + conv.src_.pixel(n, cb, h, 0) : nullptr;
        }
        transform_src(tiles, to + (cb * conv.plan_.tiles + before) * conv.plan_.bc, next);
      }
    });
  }

  void store_group(std::int64_t first, std::int64_t end, std::int64_t kb, const float* from, std::int64_t next) const {
    const ConvView& v = conv.view_;
    const std::int64_t bk = conv.plan_.bk;
    for_each_run(first, end, [&](auto n, auto row, auto col, auto count, auto before) {
      const std::int64_t rows = std::min(kWinogradTile, v.rows - row), cols = v.cols - col;
      WinogradDstTiles tiles{.rows = {}, .columns = cols, .tiles = count, .bk = bk};
      const auto in_row = [&](std::int64_t r) { return conv.dst_.pixel(n, kb, v.first_h + row + r, v.first_w + col); };
      for (std::int64_t r = 0; r < rows; ++r) tiles.rows[r] = dst + in_row(r);
      transform_dst(from + before * bk, next, tiles);
      const TileEpilogue e{.bias = v.epilogue.bias ? bias + kb * bk : nullptr, .activation = v.epilogue.activation};
      if (!e.any() && !v.epilogue.residual) return;
      for (std::int64_t r = 0; r < rows; ++r) {
        TileEpilogue of_row = e;
        if (v.epilogue.residual) of_row.residual = residual + in_row(r), of_row.ldr = bk;
        if (v.epilogue.derivative) of_row.at = at + in_row(r), of_row.ldat = bk;
        apply_epilogue(tiles.rows[r], static_cast<int>(std::min(cols, count * kWinogradTile)), static_cast<int>(bk), bk,
                       of_row);
      }
    });
  }

  template <class Team>
  void operator()(const Team&, const LoopIndex& index) const {
    const auto& [bc, bk, tiles, loops] = conv.plan_;
    const std::int64_t Cb = conv.src_.Cb(), next_src = next_place(Cb * tiles, bc), next_dst = next_place(tiles, bk);
    const std::int64_t all = conv.view_.N * winograd_grid(conv.view_).of_image();
    const std::int64_t first = index[kG].begin * tiles, end = std::min(first + tiles, all), kb = index[kKb].begin;
    float* const of_src = index.scratch<float>();
    float* const of_dst = of_src + kWinogradPlaces * next_src;
    if (kb == 0) transform_group(first, end, of_src, next_src);
    for (std::int64_t place = 0; place < kWinogradPlaces; ++place) {
      const float* const B = weights + kb * conv.block_of_weights() + place * Cb * bc * bk;
      (*conv.brick_)({.batch = strided_batch(conv.brick_->shape(), of_src + place * next_src, B, Cb),
                      .c = of_dst + place * next_dst,
                      .rows = static_cast<int>(end - first)});
    }
    store_group(first, end, kb, of_dst, next_dst);
  }
};

ConvWinograd::ConvWinograd(const ConvView& view, const WinogradPlan& plan, const LoopNest& nest, BrgemmKernelPtr brick)
    : view_(view),
      plan_(plan),
      nest_(nest),
      src_(src_layout_of(view, plan.bc)),
      dst_(dst_layout_of(view, plan.bk)),
      brick_(std::move(brick)) {}

Result<ConvWinograd> ConvWinograd::make(const ConvView& given, const WinogradPlan& plan, Backend backend, Isa isa,
                                        const SimdTuning& tuning) {
  ConvView view = given;
  view.room_h = 0;
  if (!can_be_winograd(view)) {
    return Result<ConvWinograd>::unsupported(
        fmt::format("Winograd's algorithm is for kernels of 3 x 3 and stride 1, and this one is of {} x {} and {} x {}",
                    view.R, view.S, std::max(view.stride_h, view.step_h), std::max(view.stride_w, view.step_w)));
  }
  const auto does_not_fit = [&](const std::string& what) {
    return Result<ConvWinograd>::misfit(fmt::format("plan '{}': {}", to_string(plan), what));
  };
  if (const std::string what = misfit(view, plan); !what.empty()) return does_not_fit(what);
  const std::int64_t groups = ceil_div(view.N * winograd_grid(view).of_image(), plan.tiles);
  const auto nest = LoopNest::make(
      {{.name = "g", .extent = groups}, {.name = "kb", .extent = ceil_div(view.K, plan.bk)}}, plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  if (!is_within_a_task(plan.loops, "kb") || nest->is_inside(kG, kKb)) {
    return does_not_fit("kb must be inside g and the parallel levels, as a task keeps its group's tiles of src");
  }
  const BrgemmShape shape{.m = static_cast<int>(plan.tiles),
                          .n = static_cast<int>(plan.bk),
                          .k = static_cast<int>(plan.bc),
                          .lda = plan.bc,
                          .ldb = plan.bk,
                          .ldc = plan.bk,
                          .stride_a = plan.tiles * plan.bc,
                          .stride_b = plan.bc * plan.bk};
  auto brick = make_brgemm(shape, {.tuning = tuning}, backend, isa);
  if (!brick) return {brick.status(), brick.reason()};
  ConvWinograd conv(view, plan, *nest, *std::move(brick));
  if (const std::string why = gathers_too_much(conv.scratch_bytes()); !why.empty()) return does_not_fit(why);
  return conv;
}

std::int64_t ConvWinograd::scratch_bytes() const {
  const std::int64_t places = next_place(src_.Cb() * plan_.tiles, plan_.bc) + next_place(plan_.tiles, plan_.bk);
  return kWinogradPlaces * places * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t ConvWinograd::weights_size() const { return dst_.Cb() * block_of_weights(); }

void ConvWinograd::transform_forward(const float* blocked, float* transformed) const {
  const WeightLayout from = forward_layout();
  const std::int64_t Cb = from.Cb(), elements = from.bc * from.bk;
  parallel_league(HostSpace(), from.Kb() * Cb, 1, 0, [&](const auto&, std::int64_t i, void*) {
    const std::int64_t kb = i / Cb, cb = i % Cb;
    transform_weights(blocked + from.tap(kb, cb, 0, 0), elements, transformed + kb * block_of_weights() + cb * elements,
                      Cb * elements);
  });
}

// The roles of input and output features are exchanged, and the taps reversed.
void ConvWinograd::transform_backward(const float* blocked, float* transformed) const {
  const WeightLayout from = backward_layout();
  const std::int64_t Cb = from.Kb(), elements = from.bc * from.bk, taps = from.R * from.S;
  parallel_league(HostSpace(), from.Cb() * Cb, 1, taps * elements * static_cast<std::int64_t>(sizeof(float)),
                  [&](const auto&, std::int64_t i, void* scratch) {
                    const std::int64_t kb = i / Cb, cb = i % Cb;
                    float* const turned = static_cast<float*>(scratch);
                    for (std::int64_t tap = 0; tap < taps; ++tap) {
                      transpose(from.bc, from.bk, blocked + from.tap(cb, kb, 0, taps - 1 - tap), from.bk,
                                turned + tap * elements, from.bc);
                    }
                    transform_weights(turned, elements, transformed + kb * block_of_weights() + cb * elements,
                                      Cb * elements);
                  });
}

void ConvWinograd::run(const float* src, const float* transformed_weights, const float* bias, const float* residual,
                       const float* at, float* dst) const {
  nest_.run(HostSpace(), Body{*this, src, transformed_weights, bias, residual, at, dst},
            {.threads = 1, .scratch_bytes = scratch_bytes()});
}

}  // namespace brickwork
