// What a call of convolution backward by data by scattering touches, as data: the formula of conv_scatter_body.hpp.
//
//   dsrc[n][kb][p * stride_h + r - pad_h][q * stride_w + s - pad_w][feature] +=
//       sum over c of ddst[n][c][p][q] * weights[kb][c][x]
//
// x is a column of a row of weights: a tap and a feature of block kb, or padding of the row. Features of ddst count to
// the end of their last block. The tile of windows is in the task's scratch and not declared, nor are the zeros: the
// first call for an output row writes zeros to the rows of dsrc that this row is the first to reach. Which rows these
// are differs for the first and the last output row of each copy of dsrc. The first call that adds to an element counts
// as its first write.
#pragma once
#include "kernels/base/result.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/conv/scatter/conv_scatter_plan.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

// Returns a misfit if the plan's blocks do not fit. Does not look at the plan's loops.
Result<NestTouches> conv_scatter_touches(const ConvProblem&, const ConvScatterPlan&);

}  // namespace brickwork
