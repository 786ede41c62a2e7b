#include "primitives/conv/scatter/conv_backward_scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "primitives/conv/conv_pack.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kMostWindows = 1 << 20;  // floats per task: the tile should stay in L1, or at least in L2

}  // namespace

std::string conv_scatter_misfit(const ConvProblem& p, const ConvScatterPlan& plan) {
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (outside(plan.bc, p.K)) return fmt::format("bc must be from 1 to K = {}", p.K);
  if (outside(plan.bk, p.C)) return fmt::format("bk must be from 1 to C = {}", p.C);
  if (outside(plan.bq, p.Q())) return fmt::format("bq must be from 1 to Q = {}", p.Q());
  if (plan.bq * p.R * p.S * plan.bk > kMostWindows) {
    return fmt::format("a task would need bq * R * S * bk = {} sums, but can have at most {}",
                       plan.bq * p.R * p.S * plan.bk, kMostWindows);
  }
  return {};
}

ConvScatterGeometry conv_scatter_geometry(const ConvProblem& p, const ConvScatterPlan& plan) {
  return {p, plan, {p.N, p.K, p.P(), p.Q(), 0, plan.bc}, {p.N, p.C, p.H, p.W, 0, plan.bk}};
}

Result<ConvBackwardScatter> ConvBackwardScatter::make(const ConvProblem& p, const ConvScatterPlan& plan,
                                                      Backend backend, Isa isa, const SimdTuning& tuning) {
  if (const std::string what = conv_scatter_misfit(p, plan); !what.empty()) {
    return Result<ConvBackwardScatter>::misfit(
        fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(p), what));
  }
  const ConvScatterGeometry geometry = conv_scatter_geometry(p, plan);
  const auto nest = LoopNest::make(conv_scatter_loops(geometry), plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  auto brick = make_brgemm(geometry.brick_shape(), {.tuning = tuning}, backend, isa);
  if (!brick) return {brick.status(), brick.reason()};
  return ConvBackwardScatter(geometry, *nest, *std::move(brick));
}

ConvBackwardScatter::ConvBackwardScatter(const ConvScatterGeometry& geometry, const LoopNest& nest,
                                         BrgemmKernelPtr brick)
    : geometry_(geometry),
      nest_(nest),
      brick_(std::move(brick)),
      copies_(static_cast<std::size_t>((nest.copies() - 1) * geometry.dsrc.size())) {}

std::int64_t ConvBackwardScatter::weights_size() const { return geometry_.dsrc.Cb() * geometry_.weights_kb(); }

void ConvBackwardScatter::pack_weights(const float* kcrs, float* packed) const {
  const ConvProblem& p = geometry_.p;
  const std::int64_t taps = p.R * p.S, bk = geometry_.plan.bk, window = geometry_.window();
  const std::int64_t rows = geometry_.ddst.Cb() * geometry_.ddst.bc;
  for_each_slice(geometry_.dsrc.Cb(), rows, [&](std::int64_t kb, std::int64_t k) {
    float* const row = packed + (kb * rows + k) * window;
    float* to = row;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      for (std::int64_t c = kb * bk; c < (kb + 1) * bk; ++c) {
        *to++ = k < p.K && c < p.C ? kcrs[(k * p.C + c) * taps + tap] : 0;
      }
    }
    std::fill(to, row + window, 0.0F);
  });
}

void ConvBackwardScatter::pack_weights(const WeightLayout& from, const float* blocked, float* packed) const {
  std::vector<float> kcrs(static_cast<std::size_t>(from.K * from.C * from.R * from.S));
  unpack_kcrs(from, blocked, kcrs.data());
  pack_weights(kcrs.data(), packed);
}

void ConvBackwardScatter::finish(const float* residual, const float* at, float* dsrc) const {
  const Epilogue& e = geometry_.p.epilogue;
  const ActivationLayout& l = geometry_.dsrc;
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
  const PrivateCopies<float> copies{dsrc, copies_.data(), geometry_.dsrc.size()};
  const ConvScatterBody body{geometry_, ddst, packed_weights, copies, *brick_};
  nest_.run(Kokkos::DefaultHostExecutionSpace(), body, copies, {.scratch_bytes = body.scratch_bytes()});
  if (geometry_.p.epilogue.any()) finish(residual, at, dsrc);
}

}  // namespace brickwork
