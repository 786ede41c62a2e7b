#include "primitives/conv/backward/conv_backward_blocking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/layout/transpose.hpp"
#include "primitives/conv/conv_pack.hpp"

namespace brickwork {

ConvPlan plan_of_phase(ConvPlan plan, const ConvView& view) {
  plan.bq = std::min(plan.bq, pixel_grid(view, plan.pixels).cols);
  return plan;
}

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
    return Result<ConvBackwardBlocking>::unsupported(kNothingToCompute);
  }
  if (plan.joined() && !lie_beside_the_first(phases)) {
    return Result<ConvBackwardBlocking>::misfit(
        fmt::format("plan '{}' does not fit {}: with joined, no phase without taps may have more rows or columns than "
                    "the computed one",
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
  const WeightLayout& l = phases_.front().conv.weights_layout();
  const WeightLayout forward{problem_.K, problem_.C, problem_.R, problem_.S, l.bc, l.bk};
  AlignedBuffer<float> blocked(static_cast<std::size_t>(forward.size()));
  pack_kcrs(forward, kcrs, blocked.data());
  pack_weights(forward, blocked.data(), packed);
}

// Input and output features swap their roles, and the taps of a phase are reversed.
void ConvBackwardBlocking::pack_weights(const WeightLayout& from, const float* blocked, float* packed) const {
  for (const Phase& phase : phases_) {
    const WeightLayout& l = phase.conv.weights_layout();
    if (l.bc != from.bk || l.bk != from.bc)
      throw std::logic_error("the blocked weights have other blocks of features than the plan");
    for_each_slice(l.Kb(), l.Cb(), [&](auto kb, auto cb) {
      for (std::int64_t r = 0; r < l.R; ++r) {
        for (std::int64_t s = 0; s < l.S; ++s) {
          const std::int64_t of_r = phase.part.h.tap + (l.R - 1 - r) * problem_.stride_h,
                             of_s = phase.part.w.tap + (l.S - 1 - s) * problem_.stride_w;
          transpose(from.bc, from.bk, blocked + from.tap(cb, kb, of_r, of_s), from.bk,
                    packed + phase.first_weight + l.tap(kb, cb, r, s), from.bc);
        }
      }
    });
  }
}

}  // namespace brickwork
