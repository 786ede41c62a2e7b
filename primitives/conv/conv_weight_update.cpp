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
std::string update_misfit(const ConvProblem& p, const ConvUpdatePlan& plan) {
  if (plan.flat && !can_be_flat(p, SrcAccess::cached)) return "flat needs a 1x1 kernel of stride 1 without padding";
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (outside(plan.bc, p.C)) return fmt::format("bc must be from 1 to C = {}", p.C);
  if (outside(plan.bk, p.K)) return fmt::format("bk must be from 1 to K = {}", p.K);
  const std::int64_t m = plan.taps_in_m ? p.S * plan.bc : plan.bc, k = plan.flat ? p.P() * p.Q() : p.Q();
  if (std::max({m, plan.bk, k}) > std::numeric_limits<int>::max()) return "the brick's m, n and k must be below 2^31";
  return {};
}

// All but the images of a call, which are known with the nest.
ConvUpdateGeometry update_geometry(const ConvProblem& p, const ConvUpdatePlan& plan) {
  const ConvView view = forward_view(p);
  const ActivationLayout src = src_layout_of(view, plan.bc), ddst = dst_layout_of(view, plan.bk);
  const WeightLayout weights = weights_layout_of(view, plan.bc, plan.bk);
  return {.N = p.N,
          .Kb = ddst.Cb(),
          .Cb = src.Cb(),
          .R = p.R,
          .S = plan.taps_in_m ? 1 : p.S,
          .rows = plan.flat ? 1 : p.P(),
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
          .images = 1};
}

}  // namespace

Result<ConvWeightUpdate> ConvWeightUpdate::make(const ConvProblem& p, const ConvUpdatePlan& plan, Backend backend,
                                                Isa isa, const SimdTuning& tuning) {
  if (const std::string what = update_misfit(p, plan); !what.empty()) {
    return Result<ConvWeightUpdate>::misfit(
        fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(p), what));
  }
  const auto nest = LoopNest::make(conv_update_loops(update_geometry(p, plan)), plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  ConvWeightUpdate update(p, plan, *nest);
  for (const int beta : {0, 1}) {
    auto brick = make_brgemm(update.brick_shape(p, beta), {.tuning = tuning}, backend, isa);
    if (!brick) return {brick.status(), brick.reason()};
    update.bricks_[beta] = *std::move(brick);
  }
  return update;
}

ConvWeightUpdate::ConvWeightUpdate(const ConvProblem& p, const ConvUpdatePlan& plan, const LoopNest& nest)
    : plan_(plan),
      nest_(nest),
      src_(src_layout_of(forward_view(p), plan.bc)),
      ddst_(dst_layout_of(forward_view(p), plan.bk)),
      dweights_(weights_layout_of(forward_view(p), plan.bc, plan.bk)),
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
}

BrgemmShape ConvWeightUpdate::brick_shape(const ConvProblem& p, int beta) const {
  return {.m = static_cast<int>(plan_.taps_in_m ? p.S * plan_.bc : plan_.bc),
          .n = static_cast<int>(plan_.bk),
          .k = static_cast<int>(plan_.flat ? p.P() * p.Q() : p.Q()),
          .lda = p.stride_w * plan_.bc,
          .ldb = plan_.bk,
          .ldc = plan_.bk,
          .a_transposed = true,
          .beta = beta,
          .batch_kind = BatchKind::offsets};
}

void ConvWeightUpdate::run(const float* src, const float* ddst, float* dweights) {
  const KernelBrick brick{bricks_[0].get(), bricks_[1].get()};
  const PrivateCopies<float> copies{dweights, copies_.data(), dweights_.size()};
  const ConvUpdateBody<KernelBrick> body{
      geometry_, {src, ddst, copies, src_offsets_.data(), ddst_offsets_.data()}, brick};
  nest_.run(Kokkos::DefaultHostExecutionSpace(), body, copies, {.scratch_bytes = body.scratch_bytes()});
}

}  // namespace brickwork
