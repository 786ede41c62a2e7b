#include "conv/scatter/conv_backward_scatter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conv/conv_pack.hpp"
#include "league.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kAhead = 28;             // pixels: several tiles
constexpr std::int64_t kMostWindows = 1 << 20;  // floats a task: the tile should stay in L1, and be it L2

// What does not fit, or nothing.
std::string scatter_misfit(const ConvProblem& p, const ConvScatterPlan& plan) {
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (outside(plan.bc, p.K)) return fmt::format("bc must be from 1 to K = {}", p.K);
  if (outside(plan.bk, p.C)) return fmt::format("bk must be from 1 to C = {}", p.C);
  if (outside(plan.bq, p.Q())) return fmt::format("bq must be from 1 to Q = {}", p.Q());
  if (plan.bq * p.R * p.S * plan.bk > kMostWindows) {
    return fmt::format("a task keeps bq * R * S * bk = {} sums, but at most {} are possible",
                       plan.bq * p.R * p.S * plan.bk, kMostWindows);
  }
  return {};
}

ActivationLayout scatter_ddst(const ConvProblem& p, const ConvScatterPlan& plan) {
  return {p.N, p.K, p.P(), p.Q(), 0, plan.bc};
}
ActivationLayout scatter_dsrc(const ConvProblem& p, const ConvScatterPlan& plan) {
  return {p.N, p.C, p.H, p.W, 0, plan.bk};
}

ConvScatterGeometry scatter_geometry(const ConvProblem& p, const ConvScatterPlan& plan) {
  const ActivationLayout ddst = scatter_ddst(p, plan), dsrc = scatter_dsrc(p, plan);
  ConvScatterGeometry g{.N = p.N,
                        .Kb = dsrc.Cb(),
                        .Cb = ddst.Cb(),
                        .P = p.P(),
                        .Q = p.Q(),
                        .H = p.H,
                        .W = p.W,
                        .bk = plan.bk,
                        .bq = plan.bq,
                        .R = p.R,
                        .S = p.S,
                        .stride_h = p.stride_h,
                        .stride_w = p.stride_w,
                        .pad_h = p.pad_h,
                        .pad_w = p.pad_w,
                        .ddst_image = ddst.Cb() * ddst.slice_size(),
                        .ddst_block = ddst.slice_size(),
                        .ddst_pixel = plan.bc};
  g.weights_cb = plan.bc * g.window();
  if (plan.asks) g.next_ddst = std::min(plan.bq, kAhead) * g.ddst_pixel;
  g.weights_kb = g.Cb * g.weights_cb;
  return g;
}

}  // namespace

Result<ConvBackwardScatter> ConvBackwardScatter::make(const ConvProblem& p, const ConvScatterPlan& plan,
                                                      Backend backend, Isa isa, const SimdTuning& tuning) {
  if (const std::string what = scatter_misfit(p, plan); !what.empty()) {
    return Result<ConvBackwardScatter>::misfit(
        fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(p), what));
  }
  const ConvScatterGeometry geometry = scatter_geometry(p, plan);
  const auto nest = LoopNest::make(conv_scatter_loops(geometry), plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  const BrgemmShape shape{.m = static_cast<int>(plan.bq),
                          .n = static_cast<int>(geometry.window()),
                          .k = static_cast<int>(plan.bc),
                          .lda = plan.bc,
                          .ldb = geometry.window(),
                          .ldc = geometry.window(),
                          .batch_kind = BatchKind::offsets};
  auto brick = make_brgemm(shape, {.tuning = tuning}, backend, isa);
  if (!brick) return {brick.status(), brick.reason()};
  ConvBackwardScatter scatter(p, plan, geometry, *nest);
  scatter.brick_ = *std::move(brick);
  return scatter;
}

ConvBackwardScatter::ConvBackwardScatter(const ConvProblem& p, const ConvScatterPlan& plan,
                                         const ConvScatterGeometry& geometry, const LoopNest& nest)
    : problem_(p),
      plan_(plan),
      geometry_(geometry),
      nest_(nest),
      ddst_(scatter_ddst(p, plan)),
      dsrc_(scatter_dsrc(p, plan)),
      copies_(static_cast<std::size_t>((nest.copies() - 1) * dsrc_.size())) {
  for (std::int64_t cb = 0; cb < nest.step_of(kCb); ++cb) {
    ddst_offsets_.push_back(sizeof(float) * cb * geometry.ddst_block);
    weights_offsets_.push_back(sizeof(float) * cb * geometry.weights_cb);
  }
}

std::int64_t ConvBackwardScatter::weights_size() const { return geometry_.Kb * geometry_.weights_kb; }

void ConvBackwardScatter::pack_weights(const float* kcrs, float* packed) const {
  const ConvScatterGeometry& g = geometry_;
  const std::int64_t taps = g.R * g.S;
  for_each_slice(g.Kb, g.Cb * g.ddst_pixel, [&](std::int64_t kb, std::int64_t k) {
    float* to = packed + kb * g.weights_kb + k * g.window();
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      for (std::int64_t c = kb * g.bk; c < (kb + 1) * g.bk; ++c) {
        *to++ = k < problem_.K && c < problem_.C ? kcrs[(k * problem_.C + c) * taps + tap] : 0;
      }
    }
    std::fill(to, packed + kb * g.weights_kb + (k + 1) * g.window(), 0.0F);
  });
}

void ConvBackwardScatter::pack_weights(const WeightLayout& from, const float* blocked, float* packed) const {
  std::vector<float> kcrs(static_cast<std::size_t>(from.K * from.C * from.R * from.S));
  unpack_kcrs(from, blocked, kcrs.data());
  pack_weights(kcrs.data(), packed);
}

void ConvBackwardScatter::finish(const float* residual, const float* at, float* dsrc) const {
  const Epilogue& e = problem_.epilogue;
  const ActivationLayout& l = dsrc_;
  for_each_slice(l.N, l.Cb(), [&](auto n, auto cb) {
    const std::int64_t slice = l.pixel(n, cb, 0, 0);
    apply_epilogue(dsrc + slice, static_cast<int>(l.slice_size() / l.bc), static_cast<int>(l.bc), l.bc,
                   {.residual = e.residual ? residual + slice : nullptr,
                    .ldr = l.bc,
                    .activation = e.activation,
                    .at = e.derivative ? at + slice : nullptr,
                    .ldat = l.bc});
  });
}

void ConvBackwardScatter::run(const float* ddst, const float* packed_weights, const float* residual, const float* at,
                              float* dsrc) {
  const PrivateCopies<float> copies{dsrc, copies_.data(), dsrc_.size()};
  const ConvScatterBody body{
      geometry_, {ddst, packed_weights, copies, ddst_offsets_.data(), weights_offsets_.data()}, *brick_};
  nest_.run(Kokkos::DefaultHostExecutionSpace(), body, copies, {.scratch_bytes = body.scratch_bytes()});
  if (problem_.epilogue.any()) finish(residual, at, dsrc);
}

}  // namespace brickwork
