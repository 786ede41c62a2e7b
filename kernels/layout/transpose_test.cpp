#include "kernels/layout/transpose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace brickwork {
namespace {

TEST(Transpose, MovesEveryElementAndTouchesNothingElse) {
  for (const std::int64_t gap : {0, 1, 5}) {
    for (std::int64_t rows = 1; rows < 14; ++rows) {
      for (std::int64_t cols = 1; cols < 14; ++cols) {
        const std::int64_t ld_from = cols + gap, ld_to = rows + 2 * gap;
        std::vector<float> from(static_cast<std::size_t>(rows * ld_from)), to(static_cast<std::size_t>(cols * ld_to));
        std::iota(from.begin(), from.end(), 0.0F);
        std::ranges::fill(to, -1.0F);
        transpose(rows, cols, from.data(), ld_from, to.data(), ld_to);
        for (std::int64_t j = 0; j < cols; ++j) {
          for (std::int64_t i = 0; i < ld_to; ++i) {
            const float right = i < rows ? from[static_cast<std::size_t>(i * ld_from + j)] : -1.0F;
            ASSERT_EQ(to[static_cast<std::size_t>(j * ld_to + i)], right);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
