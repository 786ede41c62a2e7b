// The neighbours of a convolution's plan: each differs from it in one choice and in whatever depends on that choice.
#pragma once
#include <vector>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// Every neighbour is legal for the problem and occurs once; whether a backend supports it is not checked. The kinds of
// choices alternate, so the first few neighbours hold some of each. Schedules that run alike count as one plan: see
// settled() in conv_loop_moves.hpp.
std::vector<ConvPlan> conv_plan_neighbours(const ConvProblem&, const ConvPlan&);

}  // namespace brickwork
