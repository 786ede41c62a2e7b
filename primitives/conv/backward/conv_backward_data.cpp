#include "primitives/conv/backward/conv_backward_data.hpp"

#include <vector>

#include "primitives/nest/league.hpp"

namespace brickwork {

std::string to_string(const ConvBackwardPlan& plan) {
  return std::visit([](const auto& either) { return to_string(either); }, plan);
}

ConvBackwardPlan parse_conv_backward_plan(std::string_view text) {
  if (is_conv_scatter_plan(text)) return parse_conv_scatter_plan(text);
  return parse_conv_plan(text);
}

ConvBackwardPlan plan_conv_backward_data(const ConvProblem& problem, const MachineModel& machine, Backend backend,
                                         FeatureBlocks blocks) {
  const BackwardPhase most_taps = backward_phases(problem).front();
  if (!most_taps.has_taps()) return {};  // nothing to plan; make() returns the reason
  if (scatter_takes_less(problem)) return plan_conv_scatter(problem, machine, blocks);
  return plan_conv(most_taps.view, machine, backend, blocks);
}

Result<ConvBackwardData> ConvBackwardData::make(const ConvProblem& problem, const ConvBackwardPlan& plan,
                                                Backend backend, Isa isa, const SimdTuning& tuning) {
  ConvBackwardData conv(plan);
  if (const auto* const by_scatter = std::get_if<ConvScatterPlan>(&plan)) {
    auto scatter = ConvBackwardScatter::make(problem, *by_scatter, backend, isa, tuning);
    if (!scatter) return {scatter.status(), scatter.reason()};
    conv.scatter_ = *std::move(scatter);
    return conv;
  }
  auto blocking = ConvBackwardBlocking::make(problem, std::get<ConvPlan>(plan));
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
  if (scatter_) return scatter_->pack_weights(from, blocked, packed);
  blocking_->pack_weights(from, blocked, packed);
}

void ConvBackwardData::run(const float* ddst, const float* packed_weights, const float* residual, const float* at,
                           float* dsrc) {
  if (scatter_) return scatter_->run(ddst, packed_weights, residual, at, dsrc);
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    blocking_->pass(i, ddst, packed_weights, residual, at, dsrc)(Kokkos::DefaultHostExecutionSpace(),
                                                                 phases_[i].brick(), 1);
  }
}

}  // namespace brickwork
