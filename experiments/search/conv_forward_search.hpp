// The fastest plan of a convolution forward that can be found in a few seconds: how far the rule is from the best of
// its own space.
#pragma once
#include "conv/conv_forward.hpp"
#include "search/plan_search.hpp"

namespace brickwork {

// Runs plans on tensors of its own, their caches hot, beginning with the rule's. Throws std::invalid_argument where
// that one cannot run.
SearchResult<ConvPlan> search_conv_forward(const ConvProblem&, const ConvPlan& rule, const SearchLimits&, Backend,
                                           Isa = Isa::best, const SimdTuning& = {});

}  // namespace brickwork
