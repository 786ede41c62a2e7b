// What a call of convolution backward by data touches, as data: for each phase of the stride what forward's loops touch
// (conv_forward_touches.hpp; its src is ddst, its dst is dsrc), and the pixels of phases without taps.
//
// Such a phase has the place (first_h, first_w) in dsrc. The last call of each tile of the first phase with taps also
// writes the tile's pixels of that phase, and reads the epilogue's operands there:
//
//   dst_without_taps_1[n][k][first_h + p * stride_h][first_w + q * stride_w]
//
// The elements differ from those of the other phases, so that each has a name of its own.
#pragma once
#include <vector>

#include "kernels/base/result.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

// The nests of the phases with taps, which run one after the other. Returns a misfit if the plan's blocks do not fit,
// and unsupported for a problem without products, for joined pixels, and for a phase without taps that has more rows or
// columns than the first phase: its last pixels belong to no call's tile, and no affine index says where they lie.
Result<std::vector<NestTouches>> conv_backward_touches(const ConvProblem&, const ConvPlan&);

}  // namespace brickwork
