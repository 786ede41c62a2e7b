#include "overlap_add.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

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

}  // namespace
}  // namespace brickwork
