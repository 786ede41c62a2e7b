// What a call of convolution's weight update touches, as data: the formula of conv_update_body.hpp with the tensors as
// stored.
//
//   dweights[k][c][r][s] += src[n][c][p * stride_h + r - pad_h][q * stride_w + s] * ddst[n][k][p][q + ddst_room_w]
//   dbias[k]             += ones[q] * ddst[n][k][p][q + ddst_room_w], in calls with c = r = s = 0
//
// with the last index of src and ddst in rows with their stored zeros. Features count to the end of their last block.
// The rows of ddst for which the filter row falls outside the image count, too, although the call leaves them out: no
// affine index says so. Indices of size 1 say c = r = s = 0: other points lie outside.
#pragma once
#include <cstdint>

#include "kernels/base/result.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

// Returns a misfit if the plan's blocks do not fit, and unsupported for src=gathered and joined pixels, which no affine
// index can express. Does not look at the plan's loops. It is cheap: a search may call it for every variant.
Result<NestTouches> conv_update_touches(const ConvProblem&, const ConvUpdatePlan&, std::int64_t ddst_room_w = 0);

}  // namespace brickwork
