#include "conv/conv_backward_data.hpp"

#include <algorithm>

#include "conv/conv_pack.hpp"

namespace brickwork {
namespace {

ConvPlan plan_of_phase(ConvPlan plan, const ConvView& view) {
  plan.bq = std::min(plan.bq, pixel_grid(view, plan.flat).cols);
  return plan;
}

// One block of a phase's weights; the roles of input and output features are exchanged, its taps reversed.
void pack_block(const BackwardPhase& phase, const ConvProblem& p, const WeightLayout& l, std::int64_t kb,
                std::int64_t cb, const float* kcrs, float* packed) {
  for (std::int64_t r = 0; r < l.R; ++r) {
    for (std::int64_t s = 0; s < l.S; ++s) {
      const std::int64_t kernel_r = phase.h.tap + (l.R - 1 - r) * p.stride_h;
      const std::int64_t kernel_s = phase.w.tap + (l.S - 1 - s) * p.stride_w;
      float* to = packed + l.tap(kb, cb, r, s);
      for (std::int64_t c = cb * l.bc; c < (cb + 1) * l.bc; ++c) {
        for (std::int64_t k = kb * l.bk; k < (kb + 1) * l.bk; ++k) {
          *to++ = c < l.C && k < l.K ? kcrs[((c * p.C + k) * p.R + kernel_r) * p.S + kernel_s] : 0;
        }
      }
    }
  }
}

void fill_with_zeros(const ConvView& view, const ActivationLayout& dsrc, float* data) {
  for_each_slice(dsrc.N, dsrc.Cb(), [&](auto n, auto cb) {
    for (std::int64_t i = 0; i < view.rows; ++i) {
      float* row = data + dsrc.pixel(n, cb, view.first_h + i * view.step_h, view.first_w);
      for (std::int64_t j = 0; j < view.cols; ++j) std::fill_n(row + j * view.step_w * dsrc.bc, dsrc.bc, 0.0F);
    }
  });
}

}  // namespace

ConvPlan plan_conv_backward_data(const ConvProblem& problem, const MachineModel& machine, Backend backend) {
  const BackwardPhase most_taps = backward_phases(problem).front();
  if (!most_taps.has_taps()) return {};  // nothing to plan for: make() has the reason
  return plan_conv(most_taps.view, machine, backend);
}

Result<ConvBackwardData> ConvBackwardData::make(const ConvProblem& problem, const ConvPlan& plan, Backend backend,
                                                Isa isa, const SimdTuning& tuning) {
  ConvBackwardData conv(problem, plan);
  for (const BackwardPhase& part : backward_phases(problem)) {
    if (!part.has_taps()) {
      conv.zeros_.push_back(part);
      continue;
    }
    auto loops = ConvForward::make(part.view, plan_of_phase(plan, part.view), to_string(problem), backend, isa, tuning);
    if (!loops) return {loops.status(), loops.reason()};
    conv.phases_.push_back({part, *std::move(loops), conv.weights_size()});
  }
  if (conv.phases_.empty()) {
    return Result<ConvBackwardData>::unsupported("no output sees a pixel of src, so there is nothing to compute");
  }
  return conv;
}

std::int64_t ConvBackwardData::weights_size() const {
  if (phases_.empty()) return 0;
  return phases_.back().first_weight + phases_.back().conv.weights_layout().size();
}

void ConvBackwardData::pack_weights(const float* kcrs, float* packed) const {
  for (const Phase& phase : phases_) {
    const WeightLayout& l = phase.conv.weights_layout();
    float* const to = packed + phase.first_weight;
    for_each_slice(l.Kb(), l.Cb(), [&](auto kb, auto cb) { pack_block(phase.part, problem_, l, kb, cb, kcrs, to); });
  }
}

void ConvBackwardData::run(const float* ddst, const float* packed_weights, float* dsrc) const {
  for (const BackwardPhase& part : zeros_) fill_with_zeros(part.view, dsrc_layout(), dsrc);
  for (const Phase& phase : phases_) {
    phase.conv.run(ddst, packed_weights + phase.first_weight, nullptr, nullptr, dsrc);
  }
}

}  // namespace brickwork
