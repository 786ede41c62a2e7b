#include "kernels/layout/zeros.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {
namespace {

TEST(FillZeros, WritesItsTileAndNothingElse) {
  for (const CAccess access : {CAccess::cached, CAccess::prefetch, CAccess::stream}) {
    for (const std::int64_t n : {1, 3, 15, 16, 17, 64}) {
      for (const std::int64_t ld : {n, n + 1, n + 16}) {
        for (const std::int64_t first : {0, 1, 16}) {
          const std::int64_t m = 3, size = first + m * ld + 16;
          AlignedBuffer<float> c(static_cast<std::size_t>(size));
          std::ranges::fill(c, 7.0F);
          fill_zeros(c.data() + first, m, n, ld, access);
          for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t at = i - first;
            const bool inside = at >= 0 && at < m * ld && at % ld < n;
            ASSERT_EQ(c.data()[i], inside ? 0.0F : 7.0F)
                << "n " << n << " ld " << ld << " first " << first << " i " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
