// Random convolutions and plans, most of whose sizes lie where something ends: a vector, a register tile, a block.
// To be called within rc::check().
#pragma once
#include "conv/conv_plan.hpp"

namespace brickwork {

// Sizes around those of vectors, register tiles and the rule's blocks. It always has an output that is not zero.
ConvProblem random_conv_problem();

// Any legal plan for it: blocks, order and levels of the loops.
ConvPlan random_conv_plan(const ConvView&);
inline ConvPlan random_conv_plan(const ConvProblem& p) { return random_conv_plan(forward_view(p)); }

// The problem with C, K and the pixels of a row moved to multiples of the plan's blocks, one less or one more, so that
// last blocks are full, lack one or hold one alone. The plan remains legal for it.
ConvProblem moved_to_block_boundaries(ConvProblem, const ConvPlan&);

}  // namespace brickwork
