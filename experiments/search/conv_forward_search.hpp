// The fastest plan of a convolution forward that can be found in a few seconds: how far the rule is from the best of
// its own space.
#pragma once
#include "experiments/search/plan_search.hpp"
#include "primitives/conv/forward/conv_forward.hpp"

namespace brickwork {

// Runs plans on tensors of its own, their caches hot, beginning with the rule's. Throws std::invalid_argument where
// that one cannot run.
SearchResult<ConvPlan> search_conv_forward(const ConvProblem&, const ConvPlan& rule, const SearchLimits&, Backend,
                                           Isa = Isa::best, const SimdTuning& = {});

}  // namespace brickwork
