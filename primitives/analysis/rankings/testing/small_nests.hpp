// Nests that are small enough to follow by hand.
#pragma once
#include <string_view>

#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

// C[m][n] += A[m][k] * B[k][n] in calls of b x b x b, loops m, n and k.
inline ScheduledNest product_nest(std::int64_t M, std::int64_t N, std::int64_t K, std::int64_t b,
                                  std::string_view schedule) {
  const auto blocks = [b](std::int64_t size) { return (size + b - 1) / b; };
  const NestTouches touches{
      .loops = {{.name = "m", .extent = blocks(M)},
                {.name = "n", .extent = blocks(N)},
                {.name = "k", .extent = blocks(K), .kind = LoopKind::reduction, .ranged = true}},
      .axes = {{"m", M, 0, b}, {"n", N, 1, b}, {"k", K, 2, b}},
      .tensors = {
          {.name = "A", .touch = Touch::read, .index = {{.terms = {{0}}, .size = M}, {.terms = {{2}}, .size = K}}},
          {.name = "B", .touch = Touch::read, .index = {{.terms = {{2}}, .size = K}, {.terms = {{1}}, .size = N}}},
          {.name = "C", .touch = Touch::reduce, .index = {{.terms = {{0}}, .size = M}, {.terms = {{1}}, .size = N}}}}};
  return *scheduled(touches, parse_loop_schedule(schedule));
}

// dst[p][q] from src[p * stride + r - pad][q * stride + s - pad]: a convolution of one feature, in calls of bq pixels
// of a row, loops p and q.
inline ScheduledNest window_nest(std::int64_t P, std::int64_t Q, std::int64_t R, std::int64_t stride, std::int64_t pad,
                                 std::int64_t bq, std::string_view schedule) {
  const std::int64_t H = (P - 1) * stride + R - 2 * pad, W = (Q - 1) * stride + R - 2 * pad;
  const NestTouches touches{
      .loops = {{.name = "p", .extent = P}, {.name = "q", .extent = (Q + bq - 1) / bq}},
      .axes = {{"p", P, 0, 1}, {"q", Q, 1, bq}, {"r", R}, {"s", R}},
      .tensors = {
          {.name = "src",
           .touch = Touch::read,
           .index = {{.terms = {{0, stride}, {2}}, .offset = -pad, .size = H},
                     {.terms = {{1, stride}, {3}}, .offset = -pad, .size = W}}},
          {.name = "dst", .touch = Touch::write, .index = {{.terms = {{0}}, .size = P}, {.terms = {{1}}, .size = Q}}}}};
  return *scheduled(touches, parse_loop_schedule(schedule));
}

}  // namespace brickwork
