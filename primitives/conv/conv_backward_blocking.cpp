#include "conv/conv_backward_blocking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "conv/conv_pack.hpp"
#include "transpose.hpp"

namespace brickwork {
namespace {

ConvPlan plan_of_phase(ConvPlan plan, const ConvView& view) {
  plan.bq = std::min(plan.bq, pixel_grid(view, plan.pixels).cols);
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

Result<ConvBackwardBlocking> ConvBackwardBlocking::make(const ConvProblem& problem, const ConvPlan& plan, DType ab) {
  ConvBackwardBlocking blocking(problem);
  const std::vector<BackwardPhase> phases = backward_phases(problem);
  for (const BackwardPhase& part : phases) {
    if (!part.has_taps()) continue;
    auto conv = ConvForwardBlocking::make(part.view, plan_of_phase(plan, part.view), to_string(problem), ab);
    if (!conv) return {conv.status(), conv.reason()};
    blocking.phases_.push_back({part, *std::move(conv), blocking.weights_size()});
  }
  if (blocking.phases_.empty()) {
    return Result<ConvBackwardBlocking>::unsupported("no output sees a pixel of src, so there is nothing to compute");
  }
  if (plan.joined() && !lie_beside_the_first(phases)) {
    return Result<ConvBackwardBlocking>::misfit(fmt::format(
        "plan '{}' does not fit {}: joined needs phases without taps to have no more pixels than the computed one",
        to_string(plan), to_string(problem)));
  }
  const ConvView& computed = blocking.phases_.front().part.view;
  const auto first = [&](const ConvView& v) { return blocking.dsrc_layout().pixel(0, 0, v.first_h, v.first_w); };
  for (const BackwardPhase& part : phases) {
    if (part.has_taps()) continue;
    blocking.without_taps_.push_back({part.view.rows, part.view.cols, first(part.view) - first(computed)});
  }
  return blocking;
}

std::int64_t ConvBackwardBlocking::weights_size() const {
  if (phases_.empty()) return 0;
  return phases_.back().first_weight + phases_.back().conv.weights_layout().size();
}

void ConvBackwardBlocking::pack_weights(const float* kcrs, float* packed) const {
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

void ConvBackwardBlocking::pack_weights(const WeightLayout& from, const float* blocked, float* packed) const {
  for (const Phase& phase : phases_) {
    const WeightLayout& l = phase.conv.weights_layout();
    if (l.bc != from.bk || l.bk != from.bc) throw std::logic_error("forward's blocks of features are other ones");
    for_each_tap(phase.part, problem_, l, packed + phase.first_weight,
                 [&](std::int64_t kb, std::int64_t cb, std::int64_t r, std::int64_t s, float* to) {
                   transpose(from.bc, from.bk, blocked + from.tap(cb, kb, r, s), from.bk, to, from.bc);
                 });
  }
}

}  // namespace brickwork
