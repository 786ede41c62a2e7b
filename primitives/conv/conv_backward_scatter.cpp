#include "conv/conv_backward_scatter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conv/conv_pack.hpp"
#include "floats.hpp"
#include "league.hpp"
#include "tile_brick.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kAhead = 28;             // pixels: several tiles
constexpr std::int64_t kMostWindows = 1 << 20;  // floats a task: the tile should stay in L1, and be it L2

// What does not fit, or nothing.
std::string scatter_misfit(const ConvProblem& p, const ConvPlan& plan) {
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (plan.pixels != Pixels::rows || plan.src == SrcAccess::gathered || plan.weights != WeightsAccess::cached)
    return "taps=n needs rows, src=cached or src=prefetch, and weights=cached";
  if (outside(plan.bc, p.K)) return fmt::format("bc must be from 1 to K = {}", p.K);
  if (outside(plan.bk, p.C)) return fmt::format("bk must be from 1 to C = {}", p.C);
  if (outside(plan.bq, p.Q())) return fmt::format("bq must be from 1 to Q = {}", p.Q());
  if (plan.bq * p.R * p.S * plan.bk > kMostWindows) {
    return fmt::format("taps=n keeps bq * R * S * bk = {} sums a task, but at most {} are possible",
                       plan.bq * p.R * p.S * plan.bk, kMostWindows);
  }
  return {};
}

ActivationLayout scatter_ddst(const ConvProblem& p, const ConvPlan& plan) {
  return {p.N, p.K, p.P(), p.Q(), 0, plan.bc};
}
ActivationLayout scatter_dsrc(const ConvProblem& p, const ConvPlan& plan) { return {p.N, p.C, p.H, p.W, 0, plan.bk}; }

ConvScatterGeometry scatter_geometry(const ConvProblem& p, const ConvPlan& plan) {
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
  if (plan.src == SrcAccess::prefetch) g.next_ddst = std::min(plan.bq, kAhead) * g.ddst_pixel;
  g.weights_kb = g.Cb * g.weights_cb;
  return g;
}

}  // namespace

bool scatter_takes_less(const ConvProblem& p) {
  // To add a vector of the tile into dsrc takes as long as so many multiply-adds (Zen 4).
  constexpr std::int64_t kAdd = 16;
  const std::int64_t taps = p.R * p.S;
  return ceil_div(taps * p.C, kFloatsOfVector) * (p.K + kAdd) < taps * ceil_div(p.C, kFloatsOfVector) * p.K;
}

ConvPlan plan_conv_scatter(const ConvProblem& p, const MachineModel& machine, FeatureBlocks blocks) {
  ConvPlan plan{.bc = blocks.bc > 0 ? blocks.bc : equal_block(p.K, 64),
                .bk = blocks.bk > 0 ? blocks.bk : equal_block(p.C, 64)};
  plan.taps = Taps::n;
  // 4 to 7 % of ResNet-50's first layer (Zen 4).
  const std::int64_t ddst_bytes = p.N * p.K * p.P() * p.Q() * static_cast<std::int64_t>(sizeof(float));
  if (ddst_bytes > machine.threads * machine.l2_bytes) plan.src = SrcAccess::prefetch;
  const std::int64_t in_l2 = machine.l2_bytes / 8 / static_cast<std::int64_t>(sizeof(float));
  plan.bq = equal_block(p.Q(), std::clamp<std::int64_t>(in_l2 / (p.R * p.S * plan.bk), 1, p.Q()));
  const LoopSchedule::Level all_of_cb{"cb", ceil_div(p.K, plan.bc), false};
  const std::int64_t rows = ceil_div(p.P(), machine.threads);
  if (machine.imbalance(p.N) <= machine.imbalance(p.P()) || rows == 1) {
    plan.loops.levels = {{"n", 1, true}, {"kb", 1, false}, {"oj", 1, false}, {"oi", 1, false}, all_of_cb};
  } else {  // each thread has rows of its own, and a copy of dsrc
    plan.loops.levels = {{"oj", rows, true}, {"n", 1, false},  {"kb", 1, false},
                         {"oj", 1, false},   {"oi", 1, false}, all_of_cb};
  }
  return plan;
}

Result<ConvBackwardScatter> ConvBackwardScatter::make(const ConvProblem& p, const ConvPlan& plan, Backend backend,
                                                      Isa isa, const SimdTuning& tuning) {
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

ConvBackwardScatter::ConvBackwardScatter(const ConvProblem& p, const ConvPlan& plan,
                                         const ConvScatterGeometry& geometry, const LoopNest& nest)
    : problem_(p),
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

void ConvBackwardScatter::run(const float* ddst, const float* packed_weights, float* dsrc) {
  const KernelBrick brick{{brick_.get(), nullptr}};
  const PrivateCopies<float> copies{dsrc, copies_.data(), dsrc_.size()};
  const ConvScatterBody<KernelBrick> body{
      geometry_, {ddst, packed_weights, copies, ddst_offsets_.data(), weights_offsets_.data()}, brick};
  nest_.run(Kokkos::DefaultHostExecutionSpace(), body, copies, {.scratch_bytes = body.scratch_bytes()});
}

}  // namespace brickwork
