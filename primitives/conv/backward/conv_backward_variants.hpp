// The variants of a convolution backward by data: those of the phase of its stride that has the most taps.
#pragma once
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/planning/variants/plan_variants.hpp"

namespace brickwork {

// Empty if no phase has taps, and if scattering takes less: its plan has no variants.
PlanVariants<ConvBackwardPlan> conv_backward_variants(const ConvProblem&, const MachineModel&, Backend = Backend::simd, FeatureBlocks = {});

}  // namespace brickwork
