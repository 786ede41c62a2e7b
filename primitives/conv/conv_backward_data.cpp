#include "conv/conv_backward_data.hpp"

#include <vector>

#include "conv/conv_pack.hpp"
#include "conv/conv_passes.hpp"
#include "league.hpp"

namespace brickwork {

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
  auto blocking = ConvBackwardBlocking::make(problem, plan);
  if (!blocking) return {blocking.status(), blocking.reason()};
  for (const ConvBackwardBlocking::Phase& phase : blocking->phases()) {
    auto loops = ConvForward::make(phase.conv, backend, isa, tuning);
    if (!loops) return {loops.status(), loops.reason()};
    conv.phases_.push_back(*std::move(loops));
  }
  conv.blocking_ = *std::move(blocking);
  return conv;
}

std::int64_t ConvBackwardData::weights_size() const {
  return scatter_ ? scatter_->weights_size() : blocking_->weights_size();
}

void ConvBackwardData::pack_weights(const float* kcrs, float* packed) const {
  if (scatter_) return scatter_->pack_weights(kcrs, packed);
  blocking_->pack_weights(kcrs, packed);
}

void ConvBackwardData::pack_weights(const WeightLayout& from, const float* blocked, float* packed) const {
  if (!scatter_) return blocking_->pack_weights(from, blocked, packed);
  std::vector<float> kcrs(static_cast<std::size_t>(from.K * from.C * from.R * from.S));
  unpack_kcrs(from, blocked, kcrs.data());
  pack_weights(kcrs.data(), packed);
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
  const auto& without_taps = blocking_->without_taps();
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    const ConvForwardBlocking& phase = phases_[i].blocking();
    const float* const weights = packed_weights + blocking_->phases()[i].first_weight;
    run_conv_backward(Kokkos::DefaultHostExecutionSpace(), phases_[i].brick(), 1, phase.nest(), phase.geometry(),
                      phase.data(ddst, weights, nullptr, residual, dsrc, at), without_taps.data(),
                      i == 0 ? static_cast<int>(without_taps.size()) : 0, plan_.dst);
  }
}

}  // namespace brickwork
