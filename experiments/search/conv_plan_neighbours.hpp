// The plans beside a plan: each differs from it in one choice, and what hangs on that choice is brought along.
#pragma once
#include <vector>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// All of them legal loops and blocks for the problem, none of them twice; whether a backend takes them is not looked
// at. The kinds of choices alternate, so that the first few hold some of each. Orders that run alike are one plan: see
// settled() in conv_loop_moves.hpp.
std::vector<ConvPlan> conv_plan_neighbours(const ConvProblem&, const ConvPlan&);

}  // namespace brickwork
