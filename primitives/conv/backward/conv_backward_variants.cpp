#include "primitives/conv/backward/conv_backward_variants.hpp"

#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/conv_variants.hpp"

namespace brickwork {

PlanVariants<ConvBackwardPlan> conv_backward_variants(const ConvProblem& p, const MachineModel& machine,
                                                      Backend backend,
                                                      FeatureBlocks blocks) {
  const BackwardPhase most_taps = backward_phases(p).front();
  if (!most_taps.has_taps() || scatter_takes_less(p)) return {};
  auto [plans, variants] = conv_variants(most_taps.view, machine, backend, blocks);
  return {{plans.begin(), plans.end()}, std::move(variants)};
}

}  // namespace brickwork
