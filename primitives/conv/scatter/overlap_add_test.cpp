#include "primitives/conv/scatter/overlap_add.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "kernels/testing/guarded_buffer.hpp"

namespace brickwork {
namespace {

TEST(OverlapAdd, AddsEveryWindowAndNothingElse) {
  for (const std::int64_t m : {0, 1, 2, 5, 9}) {
    for (const std::int64_t n : {1, 2, 3, 15, 16, 21, 35}) {
      for (const std::int64_t step : {1, 2, 6, 16, 40}) {
        const std::int64_t ld = n + step % 3;
        std::vector<float> windows(static_cast<std::size_t>(m * ld)),
            expected(static_cast<std::size_t>(m * step + n), 5);
        std::iota(windows.begin(), windows.end(), 1.0F);
        std::vector<float> sum = expected;
        for (std::int64_t i = 0; i < m; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            expected[static_cast<std::size_t>(i * step + j)] += windows[static_cast<std::size_t>(i * ld + j)];
          }
        }
        overlap_add(sum.data(), step, windows.data(), ld, m, n);
        EXPECT_EQ(sum, expected) << "m " << m << " n " << n << " step " << step;
      }
    }
  }
}

// Vectors for a window's tail must not reach beyond sums and windows, which end here at inaccessible pages.
TEST(OverlapAdd, TouchesNothingBehindTheLastWindow) {
  for (const std::int64_t m : {1, 2, 3, 5, 9}) {
    for (const std::int64_t n : {1, 2, 3, 8, 15, 16, 17, 19, 21, 24, 35}) {
      for (const std::int64_t step : {1, 2, 3, 6, 16, 40}) {
        for (const std::int64_t ld : {std::int64_t{1}, std::int64_t{3}, n, n + 5}) {
          GuardedBuffer<float> sum(static_cast<std::size_t>((m - 1) * step + n)),
              windows(static_cast<std::size_t>((m - 1) * ld + n));
          overlap_add(sum.data(), step, windows.data(), ld, m, n);
        }
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
