// Nests that several tests of the analysis use.
#pragma once
#include <string_view>

#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

// C[i][j] += A[i][k] * B[k][j], an element of each per call.
inline NestTouches matrix_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {{{"i", m}, {"j", n}, {"k", k, LoopKind::reduction}},
          {{"m", m, 0}, {"n", n, 1}, {"k", k, 2}},
          {{"A", Touch::read, {{{{0}}, 0, m}, {{{2}}, 0, k}}},
           {"B", Touch::read, {{{{2}}, 0, k}, {{{1}}, 0, n}}},
           {"C", Touch::reduce, {{{{0}}, 0, m}, {{{1}}, 0, n}}}}};
}

// The forward pass of a convolution with 3x3 filters and padding of 1: 28 images of 56 x 56 pixels, 256 features in
// blocks of 64, calls of 28 pixels that add the bias at the end.
inline NestTouches convolution() {
  return {{{"n", 28}, {"kb", 4}, {"cb", 4, LoopKind::reduction, true}, {"oj", 56}, {"oi", 2}},
          {{"n", 28, 0}, {"k", 256, 1, 64}, {"c", 256, 2, 64}, {"p", 56, 3}, {"q", 56, 4, 28}, {"r", 3}, {"s", 3}},
          {{"src", Touch::read, {{{{0}}, 0, 28}, {{{2}}, 0, 256}, {{{3}, {5}}, -1, 56}, {{{4}, {6}}, -1, 56}}},
           {"weights", Touch::read, {{{{1}}, 0, 256}, {{{2}}, 0, 256}, {{{5}}, 0, 3}, {{{6}}, 0, 3}}},
           {"dst", Touch::reduce, {{{{0}}, 0, 28}, {{{1}}, 0, 256}, {{{3}}, 0, 56}, {{{4}}, 0, 56}}},
           {"bias", Touch::read, {{{{1}}, 0, 256}}, true}}};
}

inline ScheduledNest nest_of(const NestTouches& touches, std::string_view schedule) {
  auto nest = scheduled(touches, parse_loop_schedule(schedule));
  if (!nest) throw std::invalid_argument(nest.reason());
  return *std::move(nest);
}

}  // namespace brickwork
