#include "transpose.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace brickwork {
namespace {

TEST(Transpose, EveryElementIsWhereItsRowAndColumnSayAndNothingElseIsTouched) {
  for (std::int64_t rows = 1; rows < 14; ++rows) {
    for (std::int64_t cols = 1; cols < 14; ++cols) {
      std::vector<float> from(static_cast<std::size_t>(rows * cols)), to(from.size() + 1, -1.0F);
      std::iota(from.begin(), from.end(), 0.0F);
      transpose(rows, cols, from.data(), to.data());
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < cols; ++j) {
          ASSERT_EQ(to[static_cast<std::size_t>(j * rows + i)], from[static_cast<std::size_t>(i * cols + j)]);
        }
      }
      ASSERT_EQ(to.back(), -1.0F);
    }
  }
}

}  // namespace
}  // namespace brickwork
