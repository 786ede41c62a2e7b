#include "primitives/analysis/working_sets.hpp"

#include <gtest/gtest.h>

#include "primitives/analysis/testing/nests.hpp"

namespace brickwork {
namespace {

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Bytes = std::array<double, kPlaces>;

Dependence with_sizes(std::int64_t nearest, std::int64_t farthest, std::int64_t bytes = 4) {
  return {
      .nearest = nearest, .farthest = farthest, .nearest_bytes = bytes * nearest, .farthest_bytes = bytes * farthest};
}

CacheHierarchy caches(std::int64_t l1, std::int64_t l2, std::int64_t l3) { return {.bytes = {l1, l2, l3}}; }

TEST(WorkingSetSizes, AscendWithoutRepetitionsAndWithoutASingleElement) {
  EXPECT_EQ(working_set_sizes({with_sizes(7, 9), with_sizes(3, 20), with_sizes(1, 1), with_sizes(7, 8),
                               with_sizes(7, 9), with_sizes(1, 2)}),
            (Sizes{{1, 2}, {3, 20}, {7, 8}, {7, 9}}));
  EXPECT_EQ(working_set_sizes({}), Sizes{});
}

TEST(Placed, FillsTheCachesInAscendingOrder) {
  // In bytes: (8, 40) fits L1 whole, as does (12, 50). Only the 20 of (20, 90) fit beside them, its 90 fit L2, as do
  // the 100 of (24, 100). L1 is full now. (40, 900) goes to L3.
  const std::vector<Dependence> all{with_sizes(40, 900, 1), with_sizes(24, 100, 1), with_sizes(8, 40, 1),
                                    with_sizes(20, 90, 1), with_sizes(12, 50, 1)};
  EXPECT_EQ(placed(all, caches(110, 200, 1000)), (Bytes{110, 190, 900, 0}));
  // An L2 of 115 has room for 24 of the 100 that L3 takes.
  EXPECT_EQ(placed(all, caches(110, 115, 1000)), (Bytes{110, 90 + 24, 100 + 900, 0}));
}

TEST(Placed, WhatFitsNoCacheIsInMemory) {
  EXPECT_EQ(placed({with_sizes(10, 20, 1)}, caches(9, 9, 9)), (Bytes{0, 0, 0, 20}));
  EXPECT_EQ(placed({with_sizes(10, 20, 1)}, caches(9, 9, 10)), (Bytes{0, 0, 10, 20}));
  EXPECT_EQ(placed({with_sizes(10, 20, 1)}, caches(9, 10, 19)), (Bytes{0, 10, 0, 20}));
  EXPECT_EQ(placed({}, caches(1, 1, 1)), Bytes{});
}

TEST(Placed, CountsAPairOfSizesOnceAndASingleElementNever) {
  EXPECT_EQ(placed({with_sizes(2, 3), with_sizes(2, 3), with_sizes(1, 1)}, caches(100, 0, 0)), (Bytes{12, 0, 0, 0}));
}

TEST(Placed, TheMatrixProductOfThePaperReachesL2) {
  // (5, 399), (403, 20099), (20302, 109700) elements of 4 bytes: 399 fit L1, and of the second pair the 403; L2 has the
  // 20099 and the 109700.
  const auto found = dependences(nest_of(matrix_product(300, 100, 200), "i j k"));
  ASSERT_TRUE(found);
  EXPECT_EQ(placed(*found, caches(32768, 1048576, 40370176)), (Bytes{4 * (399 + 403), 4 * (20099 + 109700), 0, 0}));
  EXPECT_EQ(placed(*found, caches(32768, 262144, 1048576)),
            (Bytes{4 * (399 + 403), 4 * (20099 + 20302), 4 * 109700, 0}));
}

}  // namespace
}  // namespace brickwork
