// What a call of convolution forward touches, as data: the formula of conv_forward_body.hpp with the tensors as stored.
//
//   dst[n][k][p'][q'] += src[n][c][p * stride_h + r - pad_h][q * stride_w + s - pad_w + room_w] * weights[k][c][r][s]
//   bias[k], residual and at as dst: in the last call of each tile
//
// with p' and q' the places of the computed pixels in dst, q' and the last index of src in rows with their stored
// zeros. Features count to the end of their last block. The weights of a filter row that falls outside the image count,
// too, although the call leaves that row out: no affine index says so.
#pragma once
#include "kernels/base/result.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/conv_view.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

// Returns a misfit if the plan's blocks do not fit, and unsupported for joined pixels, whose places need divisions.
// Does not look at the plan's loops. It is cheap: a search may call it for every variant.
Result<NestTouches> conv_forward_touches(const ConvView&, const ConvPlan&);

}  // namespace brickwork
