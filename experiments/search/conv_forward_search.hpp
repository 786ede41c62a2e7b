// Searches a few seconds for the fastest plan of a forward convolution. Shows how far the rule's plan is from the best
// plan in its own search space.
#pragma once
#include "experiments/search/plan_search.hpp"
#include "primitives/conv/forward/conv_forward.hpp"

namespace brickwork {

// Runs plans on tensors of its own with hot caches, starting with the rule's plan. Throws std::invalid_argument if the
// rule's plan cannot run.
SearchResult<ConvPlan> search_conv_forward(const ConvProblem&, const ConvPlan& rule, const SearchLimits&, Backend,
                                           Isa = Isa::best, const SimdTuning& = {});

}  // namespace brickwork
