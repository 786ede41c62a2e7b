// Random convolutions and plans, most of whose sizes lie where something ends: a vector, a register tile, a block.
// To be called within rc::check().
#pragma once
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/scatter/conv_scatter_plan.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"

namespace brickwork {

// Sizes around those of vectors, register tiles and the rule's blocks. It always has an output that is not zero.
ConvProblem random_conv_problem();

// The same as a training pass takes it: with the steps that its epilogue has, and with products, as nothing else could
// be checked.
ConvProblem random_training_problem(const EpilogueSteps& = {});

// A layer of ResNet-50 of each kind: large filter and stride, 1x1, 3x3, strided 1x1, and version 1.5's strided 3x3.
inline constexpr const char* kLayersOfEachKind[] = {
    "C3 K64 H224 R7 sh2 ph3", "C64 K256 H56",        "C64 K64 H56 R3 ph1",      "C256 K512 H56 sh2",
    "C1024 K512 H14 sh2",     "C512 K512 H7 R3 ph1", "C128 K128 H56 R3 sh2 ph1"};

// Any legal plan for it: blocks, order and levels of the loops.
ConvPlan random_conv_plan(const ConvView&);
inline ConvPlan random_conv_plan(const ConvProblem& p) { return random_conv_plan(forward_view(p)); }
ConvScatterPlan random_scatter_plan(const ConvProblem&);
ConvUpdatePlan random_update_plan(const ConvProblem&);

// The problem with C, K and the pixels of a row moved to multiples of the plan's blocks, one less or one more, so that
// last blocks are full, lack one or hold one alone. The plan remains legal for it.
ConvProblem moved_to_block_boundaries(ConvProblem, const ConvPlan&);

}  // namespace brickwork
