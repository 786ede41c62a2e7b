#include "conv/conv_backward_data.hpp"

#include <algorithm>
#include <stdexcept>

#include "conv/conv_pack.hpp"
#include "league.hpp"
#include "transpose.hpp"

namespace brickwork {
namespace {

ConvPlan plan_of_phase(ConvPlan plan, const ConvView& view) {
  plan.bq = std::min(plan.bq, pixel_grid(view, plan.flat).cols);
  return plan;
}

// tap(kb, cb, r, s, packed) for every tap of a phase's weights, in parallel: where its matrix goes, and which tap of
// the filter it is. The roles of input and output features are exchanged, the phase's taps reversed.
template <class Tap>
void for_each_tap(const BackwardPhase& phase, const ConvProblem& p, const WeightLayout& l, float* packed,
                  const Tap& tap) {
  for_each_slice(l.Kb(), l.Cb(), [&](auto kb, auto cb) {
    for (std::int64_t r = 0; r < l.R; ++r) {
      for (std::int64_t s = 0; s < l.S; ++s) {
        tap(kb, cb, phase.h.tap + (l.R - 1 - r) * p.stride_h, phase.w.tap + (l.S - 1 - s) * p.stride_w,
            packed + l.tap(kb, cb, r, s));
      }
    }
  });
}

}  // namespace

ConvPlan plan_conv_backward_data(const ConvProblem& problem, const MachineModel& machine, Backend backend,
                                 FeatureBlocks blocks) {
  const BackwardPhase most_taps = backward_phases(problem).front();
  if (!most_taps.has_taps()) return {};  // nothing to plan for: make() has the reason
  if (scatter_takes_less(problem)) return plan_conv_scatter(problem, machine, blocks);
  return plan_conv(most_taps.view, machine, backend, blocks);
}

Result<ConvBackwardData> ConvBackwardData::make(const ConvProblem& problem, const ConvPlan& plan, Backend backend,
                                                Isa isa, const SimdTuning& tuning) {
  ConvBackwardData conv(problem, plan);
  if (plan.taps == Taps::n) {
    auto scatter = ConvBackwardScatter::make(problem, plan, backend, isa, tuning);
    if (!scatter) return {scatter.status(), scatter.reason()};
    conv.scatter_ = *std::move(scatter);
    return conv;
  }
  for (const BackwardPhase& part : backward_phases(problem)) {
    if (!part.has_taps()) continue;
    auto loops = ConvForward::make(part.view, plan_of_phase(plan, part.view), to_string(problem), backend, isa, tuning);
    if (!loops) return {loops.status(), loops.reason()};
    conv.phases_.push_back({part, *std::move(loops), conv.weights_size()});
  }
  if (conv.phases_.empty()) {
    return Result<ConvBackwardData>::unsupported("no output sees a pixel of src, so there is nothing to compute");
  }
  const ConvView& computed = conv.phases_.front().part.view;
  const auto first = [&](const ConvView& v) { return conv.dsrc_layout().pixel(0, 0, v.first_h, v.first_w); };
  for (const BackwardPhase& part : backward_phases(problem)) {
    if (part.has_taps()) continue;
    conv.without_taps_.push_back({part.view.rows, part.view.cols, first(part.view) - first(computed)});
  }
  return conv;
}

std::int64_t ConvBackwardData::weights_size() const {
  if (scatter_) return scatter_->weights_size();
  if (phases_.empty()) return 0;
  return phases_.back().first_weight + phases_.back().conv.weights_layout().size();
}

void ConvBackwardData::pack_weights(const float* kcrs, float* packed) const {
  if (scatter_) return scatter_->pack_weights(kcrs, packed);
  for (const Phase& phase : phases_) {
    const WeightLayout& l = phase.conv.weights_layout();
    for_each_tap(phase.part, problem_, l, packed + phase.first_weight,
                 [&](std::int64_t kb, std::int64_t cb, std::int64_t r, std::int64_t s, float* to) {
                   for (std::int64_t c = cb * l.bc; c < (cb + 1) * l.bc; ++c) {
                     for (std::int64_t k = kb * l.bk; k < (kb + 1) * l.bk; ++k) {
                       *to++ = c < l.C && k < l.K ? kcrs[((c * l.K + k) * problem_.R + r) * problem_.S + s] : 0;
                     }
                   }
                 });
  }
}

void ConvBackwardData::pack_weights(const WeightLayout& from, const float* blocked, float* packed) const {
  if (scatter_) {
    std::vector<float> kcrs(static_cast<std::size_t>(from.K * from.C * from.R * from.S));
    unpack_kcrs(from, blocked, kcrs.data());
    return pack_weights(kcrs.data(), packed);
  }
  for (const Phase& phase : phases_) {
    const WeightLayout& l = phase.conv.weights_layout();
    if (l.bc != from.bk || l.bk != from.bc) throw std::logic_error("forward's blocks of features are other ones");
    for_each_tap(phase.part, problem_, l, packed + phase.first_weight,
                 [&](std::int64_t kb, std::int64_t cb, std::int64_t r, std::int64_t s, float* to) {
                   transpose(from.bc, from.bk, blocked + from.tap(cb, kb, r, s), from.bk, to, from.bc);
                 });
  }
}

// Where tiles are added into dsrc, what is to follow the sum waits for all of them.
void ConvBackwardData::finish_scattered(const float* residual, const float* at, float* dsrc) const {
  const Epilogue& e = problem_.epilogue;
  const ActivationLayout& l = dsrc_layout();
  if (!e.any()) return;
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

void ConvBackwardData::run(const float* ddst, const float* packed_weights, const float* residual, const float* at,
                           float* dsrc) {
  if (scatter_) {
    scatter_->run(ddst, packed_weights, dsrc);
    return finish_scattered(residual, at, dsrc);
  }
  for (const Phase& phase : phases_) {
    const bool fills = &phase == &phases_.front();
    const ConvBackwardBody<KernelBrick> body{
        phase.conv.body(ddst, packed_weights + phase.first_weight, nullptr, residual, dsrc, at), without_taps_.data(),
        fills ? static_cast<int>(without_taps_.size()) : 0, plan_.dst};
    phase.conv.blocking().nest().run(Kokkos::DefaultHostExecutionSpace(), body,
                                     {.scratch_bytes = body.scratch_bytes()});
  }
}

}  // namespace brickwork
