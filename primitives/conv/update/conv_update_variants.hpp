// The variants of a convolution's weight update: every order of its loops with every choice of blocks that can win, and
// what the analysis says of each.
#pragma once
#include "primitives/conv/update/conv_update_plan.hpp"
#include "primitives/planning/variants/plan_variants.hpp"

namespace brickwork {

// Parts of the gradient are cut from its blocks of features by halving; calls sum over a few numbers of pixels, from
// those that stay in L1 to those of many rows or images. A filter's taps stay inside the blocks of features.
PlanVariants<ConvUpdatePlan> conv_update_variants(const ConvProblem&, const MachineModel&, FeatureBlocks = {});

}  // namespace brickwork
