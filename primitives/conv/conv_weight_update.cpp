#include "conv/conv_weight_update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "conv/conv_plan.hpp"
#include "league.hpp"
#include "tile_brick.hpp"

namespace brickwork {
namespace {

// What does not fit, or nothing.
std::string update_misfit(const ConvView& p, const ConvUpdatePlan& plan) {
  if (plan.flat && !can_be_flat(p, SrcAccess::cached)) return "flat needs a 1x1 kernel of stride 1 without padding";
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (outside(plan.bc, p.C)) return fmt::format("bc must be from 1 to C = {}", p.C);
  if (outside(plan.bk, p.K)) return fmt::format("bk must be from 1 to K = {}", p.K);
  const std::int64_t m = plan.taps_in_m ? p.S * plan.bc : plan.bc, k = plan.flat ? p.P * p.Q : p.Q;
  if (std::max({m, plan.bk, k}) > std::numeric_limits<int>::max()) return "the brick's m, n and k must be below 2^31";
  return {};
}

// All but the images of a call, which are known with the nest.
ConvUpdateGeometry update_geometry(const ConvView& p, const ConvUpdatePlan& plan) {
  const ActivationLayout src = src_layout_of(p, plan.bc), ddst = dst_layout_of(p, plan.bk);
  const WeightLayout weights = weights_layout_of(p, plan.bc, plan.bk);
  return {.N = p.N,
          .Kb = ddst.Cb(),
          .Cb = src.Cb(),
          .R = p.R,
          .S = plan.taps_in_m ? 1 : p.S,
          .rows = plan.flat ? 1 : p.P,
          .H = p.H,
          .stride_h = p.stride_h,
          .pad_h = p.pad_h,
          .src = {.image = src.Cb() * src.slice_size(), .block = src.slice_size(), .row = src.Wp() * src.bc},
          .ddst = {.image = ddst.Cb() * ddst.slice_size(), .block = ddst.slice_size(), .row = ddst.Wp() * ddst.bc},
          .src_tap = src.bc,
          .weights_kb = weights.Cb() * weights.block_size(),
          .weights_cb = weights.block_size(),
          .weights_r = weights.tap(0, 0, 1, 0),
          .weights_s = weights.tap(0, 0, 0, 1),
          .bk = plan.bk,
          .images = 1};
}

}  // namespace

Result<ConvWeightUpdate> ConvWeightUpdate::make(const ConvProblem& problem, const ConvUpdatePlan& plan, Backend backend,
                                                Isa isa, const SimdTuning& tuning, std::int64_t ddst_room_w) {
  ConvView p = forward_view(problem);
  p.dst_room_w = ddst_room_w;
  if (const std::string what = update_misfit(p, plan); !what.empty()) {
    return Result<ConvWeightUpdate>::misfit(
        fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(problem), what));
  }
  const auto nest = LoopNest::make(conv_update_loops(update_geometry(p, plan)), plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  ConvWeightUpdate update(p, plan, *nest);
  for (const int beta : {0, 1}) {
    auto brick = make_brgemm(update.brick_shape(p, beta), {.tuning = tuning}, backend, isa);
    if (!brick) return {brick.status(), brick.reason()};
    update.bricks_[beta] = *std::move(brick);
    if (!p.epilogue.bias) continue;
    auto bias_brick = make_brgemm(update.bias_brick_shape(p, beta), {.tuning = tuning}, backend, isa);
    if (!bias_brick) return {bias_brick.status(), bias_brick.reason()};
    update.bias_bricks_[beta] = *std::move(bias_brick);
  }
  return update;
}

ConvWeightUpdate::ConvWeightUpdate(const ConvView& p, const ConvUpdatePlan& plan, const LoopNest& nest)
    : plan_(plan),
      nest_(nest),
      src_(src_layout_of(p, plan.bc)),
      ddst_(dst_layout_of(p, plan.bk)),
      dweights_(weights_layout_of(p, plan.bc, plan.bk)),
      geometry_(update_geometry(p, plan)),
      copies_(static_cast<std::size_t>((nest.copies() - 1) * dweights_.size())) {
  geometry_.images = nest.step_of(ConvUpdateLoop::n);
  for (std::int64_t rows = 1; rows <= nest.step_of(ConvUpdateLoop::oj); ++rows) {
    for (std::int64_t n = 0; n < geometry_.images; ++n) {
      for (std::int64_t row = 0; row < rows; ++row) {
        src_offsets_.push_back(sizeof(float) * (n * geometry_.src.image + row * p.stride_h * geometry_.src.row));
        ddst_offsets_.push_back(sizeof(float) * (n * geometry_.ddst.image + row * geometry_.ddst.row));
      }
    }
  }
  if (p.epilogue.bias) {
    ones_.assign(static_cast<std::size_t>(brick_shape(p, 0).k), 1.0F);
    ones_offsets_.assign(static_cast<std::size_t>(geometry_.images * nest.step_of(ConvUpdateLoop::oj)), 0);
    bias_copies_ = AlignedBuffer<float>(static_cast<std::size_t>((nest.copies() - 1) * ddst_.Cb() * ddst_.bc));
  }
}

BrgemmShape ConvWeightUpdate::brick_shape(const ConvView& p, int beta) const {
  return {.m = static_cast<int>(plan_.taps_in_m ? p.S * plan_.bc : plan_.bc),
          .n = static_cast<int>(plan_.bk),
          .k = static_cast<int>(plan_.flat ? p.P * p.Q : p.Q),
          .lda = p.stride_w * plan_.bc,
          .ldb = plan_.bk,
          .ldc = plan_.bk,
          .a_transposed = true,
          .beta = beta,
          .batch_kind = BatchKind::offsets};
}

// A product with a row of ones.
BrgemmShape ConvWeightUpdate::bias_brick_shape(const ConvView& p, int beta) const {
  BrgemmShape shape = brick_shape(p, beta);
  shape.m = 1;
  shape.lda = shape.k;
  shape.a_transposed = false;
  return shape;
}

void ConvWeightUpdate::run(const float* src, const float* ddst, float* dweights, float* dbias, Gradients gradients) {
  const Kokkos::DefaultHostExecutionSpace space;
  const bool with_bias = bias_bricks_[0] != nullptr;
  const PrivateCopies<float> copies{dweights, copies_.data(), dweights_.size()};
  const PrivateCopies<float> bias_copies{with_bias ? dbias : nullptr, bias_copies_.data(), ddst_.Cb() * ddst_.bc};
  const ConvUpdateBody<KernelBrick> body{geometry_,
                                         {.src = src,
                                          .ddst = ddst + ddst_.pixel(0, 0, 0, 0),
                                          .dweights = copies,
                                          .dbias = bias_copies,
                                          .accumulate = gradients == Gradients::accumulate,
                                          .src_offsets = src_offsets_.data(),
                                          .ddst_offsets = ddst_offsets_.data(),
                                          .ones = ones_.data(),
                                          .ones_offsets = ones_offsets_.data()},
                                         {bricks_[0].get(), bricks_[1].get()},
                                         {bias_bricks_[0].get(), bias_bricks_[1].get()}};
  nest_.run(space, body, copies, {.scratch_bytes = body.scratch_bytes()});
  if (with_bias) {
    const SumOfCopies<float> sum{bias_copies, nest_.copies()};
    parallel_league(space, sum.tasks(), 1, 0, sum);
  }
}

}  // namespace brickwork
