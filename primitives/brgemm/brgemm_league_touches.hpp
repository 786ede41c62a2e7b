// What a league of brick calls touches, as data. A task is one call:
//
//   c[task][m][n] = sum over batch, k of a[task][batch][m][k] * b[batch][k][n]
#pragma once
#include "primitives/brgemm/op/brgemm_league_problem.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

NestTouches brgemm_league_touches(const BrgemmLeagueProblem&);

}  // namespace brickwork
