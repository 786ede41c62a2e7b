// Random convolutions and plans for use within rc::check(). Most sizes are near the end of a vector, a register tile or
// a block.
#pragma once
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/scatter/conv_scatter_plan.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"

namespace brickwork {

// A problem with sizes near those of vectors, register tiles and the default blocks. At least one output is not zero.
ConvProblem random_conv_problem();

// A problem for a training pass: its epilogue has only these steps, and at least one tap is inside the image.
ConvProblem random_training_problem(const EpilogueSteps& = {});

// A layer of ResNet-50 of each kind: large filter and stride, 1x1, 3x3, strided 1x1, and version 1.5's strided 3x3.
inline constexpr const char* kLayersOfEachKind[] = {
    "C3 K64 H224 R7 sh2 ph3", "C64 K256 H56",        "C64 K64 H56 R3 ph1",      "C256 K512 H56 sh2",
    "C1024 K512 H14 sh2",     "C512 K512 H7 R3 ph1", "C128 K128 H56 R3 sh2 ph1"};

// Any legal plan for the problem: random blocks, loop order and levels.
ConvPlan random_conv_plan(const ConvView&);
inline ConvPlan random_conv_plan(const ConvProblem& p) { return random_conv_plan(forward_view(p)); }
ConvScatterPlan random_scatter_plan(const ConvProblem&);
ConvUpdatePlan random_update_plan(const ConvProblem&);

// The problem with C, K and the pixels of a row moved to multiples of the plan's blocks, or one less or one more, so
// that last blocks are full, lack one element or have only one. The plan remains legal.
ConvProblem moved_to_block_boundaries(ConvProblem, const ConvPlan&);

}  // namespace brickwork
