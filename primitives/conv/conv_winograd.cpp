#include "conv/conv_winograd.hpp"

#include <algorithm>
#include <string>

#include "conv/conv_pack.hpp"
#include "integers.hpp"
#include "league.hpp"
#include "transpose.hpp"

namespace brickwork {
namespace {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

}  // namespace

// Two loops around the brick: g, of groups of tiles, and kb, of blocks of output features. For the first of these in a
// row the group's tiles of src are transformed, for all others they are there.
struct ConvWinograd::Body {
  const ConvWinograd& conv;
  const float *src, *weights, *bias, *residual, *at;
  float* dst;

  void store(const WinogradGroup& group, std::int64_t kb, const float* from, std::int64_t next) const {
    const Epilogue& epilogue = conv.view_.epilogue;
    const std::int64_t bk = conv.plan_.bk;
    conv.groups_.for_each_run(group, [&](const WinogradRun& run) {
      const WinogradDstTiles<float> tiles = conv.groups_.dst_tiles(conv.dst_, dst, run, kb);
      transform_dst(conv.plan_.tile, from + run.before * bk, next, tiles);
      if (!epilogue.any()) return;
      for (float* const row : tiles.rows) {
        if (row == nullptr) continue;
        const auto beside = [&](const float* tensor) { return tensor + (row - dst); };
        apply_epilogue(row, static_cast<int>(std::min(tiles.columns, run.tiles * conv.plan_.tile)),
                       static_cast<int>(bk), bk,
                       {.bias = epilogue.bias ? bias + kb * bk : nullptr,
                        .residual = epilogue.residual ? beside(residual) : nullptr,
                        .ldr = bk,
                        .activation = epilogue.activation,
                        .at = epilogue.derivative ? beside(at) : nullptr,
                        .ldat = bk});
      }
    });
  }

  template <class Team>
  void operator()(const Team&, const LoopIndex& index) const {
    const auto& [bc, bk, tile, tiles, loops] = conv.plan_;
    const std::int64_t Cb = conv.src_.Cb(), next_src = next_winograd_place(Cb * tiles, bc),
                       next_dst = next_winograd_place(tiles, bk), kb = index[WinogradLoop::kb].begin;
    const WinogradGroup group = conv.groups_[index[WinogradLoop::g].begin];
    float* const of_src = index.scratch<float>();
    float* const of_dst = of_src + conv.places() * next_src;
    if (kb % conv.kb_of_group_ == 0) conv.groups_.transform(conv.src_, src, group, of_src, next_src);
    for (std::int64_t place = 0; place < conv.places(); ++place) {
      const float* const B = weights + kb * conv.block_of_weights() + place * Cb * bc * bk;
      (*conv.brick_)({.batch = strided_batch(conv.brick_->shape(), of_src + place * next_src, B, Cb),
                      .c = of_dst + place * next_dst,
                      .rows = static_cast<int>(group.size())});
    }
    store(group, kb, of_dst, next_dst);
  }
};

ConvWinograd::ConvWinograd(const ConvView& view, const WinogradPlan& plan, const LoopNest& nest,
                           std::int64_t kb_of_group, BrgemmKernelPtr brick)
    : view_(view),
      plan_(plan),
      nest_(nest),
      src_(src_layout_of(view, plan.bc)),
      dst_(dst_layout_of(view, plan.bk)),
      groups_(view, plan),
      kb_of_group_(kb_of_group),
      brick_(std::move(brick)) {}

Result<ConvWinograd> ConvWinograd::make(const ConvView& given, const WinogradPlan& plan, Backend backend, Isa isa,
                                        const SimdTuning& tuning) {
  ConvView view = given;
  view.room_h = 0;
  if (const std::string why = winograd_lacks(view); !why.empty()) return Result<ConvWinograd>::unsupported(why);
  if (const std::string what = winograd_misfit(view, plan); !what.empty()) return Result<ConvWinograd>::misfit(what);
  const auto nest = LoopNest::make({{.name = "g", .extent = WinogradGroups(view, plan).count()},
                                    {.name = "kb", .extent = ceil_div(view.K, plan.bk)}},
                                   plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  const auto blocks = blocks_of_a_group(*nest, plan);
  if (!blocks) return {blocks.status(), blocks.reason()};
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
  return ConvWinograd(view, plan, *nest, *blocks, *std::move(brick));
}

std::int64_t ConvWinograd::weights_size() const { return dst_.Cb() * block_of_weights(); }

void ConvWinograd::transform_forward(const float* blocked, float* transformed) const {
  const WeightLayout from = forward_layout();
  const std::int64_t Cb = from.Cb(), elements = from.bc * from.bk;
  for_each_slice(from.Kb(), Cb, [&](auto kb, auto cb) {
    transform_weights(plan_.tile, blocked + from.tap(kb, cb, 0, 0), elements,
                      transformed + kb * block_of_weights() + cb * elements, Cb * elements);
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
                    transform_weights(plan_.tile, turned, elements,
                                      transformed + kb * block_of_weights() + cb * elements, Cb * elements);
                  });
}

void ConvWinograd::run(const float* src, const float* transformed_weights, const float* bias, const float* residual,
                       const float* at, float* dst) const {
  nest_.run(HostSpace(), Body{*this, src, transformed_weights, bias, residual, at, dst},
            {.threads = 1, .scratch_bytes = winograd_scratch_bytes(src_.Cb(), plan_)});
}

}  // namespace brickwork
