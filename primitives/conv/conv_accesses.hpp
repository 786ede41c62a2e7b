// How a convolution's calls access their tensors, from where the analysis of the nest finds them.
#pragma once
#include "primitives/analysis/traffic.hpp"
#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// Sets the plan's src, weights and dst. `traffic` is that of conv_forward_touches() with the plan's loops.
void set_accesses(ConvPlan&, const ConvView&, const MachineModel&, const Traffic&);

}  // namespace brickwork
