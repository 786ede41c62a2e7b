// The variants of a convolution forward, or of a phase backward by data: every order of its loops with every choice of
// blocks that can win, and what the analysis says of each.
#pragma once
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/planning/variants/plan_variants.hpp"

namespace brickwork {

// Blocks are cut to a few sizes each: bk to whole vectors, bc to all features and to powers of two below, bq to a row
// and to equal parts of it. Loops: see orders.hpp; blocks of pixels of a row stay inside its rows. How a plan's tensors
// are accessed follows from where the analysis finds them.
PlanVariants<ConvPlan> conv_variants(const ConvView&, const MachineModel&, Backend = Backend::simd, FeatureBlocks = {});

}  // namespace brickwork
