#include "primitives/analysis/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace brickwork {
namespace {

using testing::ElementsAre;

// C[m][n] += A[m][k] * B[k][n] of 64 x 32 x 16 elements, in calls of 8 x 4 x 16.
NestTouches matmul() {
  return {.loops = {{"m", 8}, {"n", 8}, {.name = "k", .extent = 1, .kind = LoopKind::reduction, .ranged = true}},
          .axes = {{"m", 64, 0, 8}, {"n", 32, 1, 4}, {"k", 16, 2, 16}},
          .tensors = {{"A", Touch::read, {{{{0}}, 0, 64}, {{{2}}, 0, 16}}},
                      {"B", Touch::read, {{{{2}}, 0, 16}, {{{1}}, 0, 32}}},
                      {"C", Touch::reduce, {{{{0}}, 0, 64}, {{{1}}, 0, 32}}}}};
}

double sum(const BytesByPlace& bytes) { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

// Caches that hold everything, or nothing but what is 100 times smaller.
CacheHierarchy caches_of(std::int64_t l1, std::int64_t l2, std::int64_t l3) { return {.bytes = {l1, l2, l3}}; }

Traffic traffic_of(const NestTouches& touches, const char* loops, const CacheHierarchy& caches,
                   const RegisterTile& tile = {}) {
  return traffic(*scheduled(touches, parse_loop_schedule(loops)), caches, tile);
}

TEST(Traffic, CountsEachByteThatACallTouchesOnce) {
  const Traffic moved = traffic_of(matmul(), "m n k", caches_of(1 << 10, 1 << 12, 1 << 20));
  EXPECT_EQ(moved.calls, 64);
  EXPECT_EQ(moved.points, 64 * 32 * 16);
  EXPECT_EQ(moved.all_bytes, 4 * (64 * 16 + 16 * 32 + 64 * 32));
  EXPECT_NEAR(sum(moved.of[0].read), 64 * 4 * 8 * 16, 1e-6);
  EXPECT_NEAR(sum(moved.of[1].read), 64 * 4 * 16 * 4, 1e-6);
  EXPECT_NEAR(sum(moved.of[2].written), 64 * 4 * 8 * 4, 1e-6);
  EXPECT_EQ(sum(moved.of[0].written), 0);
}

// m outside: A's block of 512 bytes comes back after a call of 512 + 256 + 128 bytes, B as a whole after an iteration of
// m with 512 + 2048 + 1024 bytes.
TEST(Traffic, DataComeFromTheSmallestCacheThatHoldsWhatLiesBetween) {
  const auto between = [](std::int64_t bytes) { return caches_of(2 * bytes, 1 << 20, 1 << 24); };
  const double all = 64 * 4 * 16 * 4, once = 4 * 16 * 32;
  const Traffic large = traffic_of(matmul(), "m n k", between(3584));
  EXPECT_NEAR(large.of[1].read[0], all - once, 1e-6);  // all but what comes first
  const Traffic small = traffic_of(matmul(), "m n k", between(896));
  EXPECT_NEAR(small.of[1].read[0], 0, 1e-6);
  EXPECT_NEAR(small.of[1].read[1], all, 1e-6);
  const double of_a = 64 * 4 * 8 * 16, a_once = 4 * 64 * 16;
  EXPECT_NEAR(small.of[0].read[0], of_a - a_once, 1e-6);
}

TEST(Traffic, NothingStaysInCachesThatAreTooSmall) {
  const Traffic moved = traffic_of(matmul(), "m n k", caches_of(1, 2, 3));
  for (std::size_t place = 0; place + 1 < kPlaces; ++place) EXPECT_EQ(moved.read()[place], 0) << place;
}

// Tiles of 2 rows: each of the 4 tiles of a call reads the call's B again, and its own rows of A and C.
TEST(Traffic, EachRegisterTileReadsTheOtherOperandAgain) {
  const CacheHierarchy caches = caches_of(1 << 10, 1 << 12, 1 << 20);
  const Traffic moved = traffic_of(matmul(), "m n k", caches, {0, 2});
  EXPECT_NEAR(sum(moved.of[0].read), 64 * 4 * 8 * 16, 1e-6);
  EXPECT_NEAR(sum(moved.of[1].read), 4 * 64 * 4 * 16 * 4, 1e-6);
}

// Windows of three rows, one row further each time: two of the three come back.
TEST(Traffic, OverlappingWindowsComeBackInPart) {
  const NestTouches rows{.loops = {{"p", 8}},
                         .axes = {{"p", 8, 0}, {"r", 3}},
                         .tensors = {{"src", Touch::read, {{{{0}, {1}}, 0, 10}, {{}, 0, 1}}}}};
  const Traffic moved = traffic_of(rows, "p", caches_of(1 << 10, 1 << 12, 1 << 14));
  EXPECT_EQ(moved.of[0].once, 4 * 10);
  EXPECT_NEAR(sum(moved.of[0].read), 4 * 8 * 3, 1e-6);
}

TEST(Traffic, PaddingIsNotTouched) {
  const NestTouches rows{.loops = {{"p", 8}},
                         .axes = {{"p", 8, 0}, {"r", 3}},
                         .tensors = {{"src", Touch::read, {{{{0}, {1}}, -1, 8}, {{}, 0, 1}}}}};
  EXPECT_EQ(traffic_of(rows, "p", caches_of(1, 2, 3)).of[0].once, 4 * 8);
}

// The pixels between those of a stride lie in the lines that are prefetched.
TEST(Traffic, SkippedNeighboursInMemoryComeAlong) {
  const auto strided = [](bool last) {
    TouchedIndex pixels{{{0, 2}}, 0, 16}, one{{}, 0, 1};
    const auto index = last ? std::vector{one, pixels} : std::vector{pixels, one};
    return NestTouches{.loops = {{"q", 8}}, .axes = {{"q", 8, 0}}, .tensors = {{"src", Touch::read, index}}};
  };
  EXPECT_EQ(traffic_of(strided(true), "q", caches_of(1, 2, 3)).of[0].once, 4 * 15);
  EXPECT_EQ(traffic_of(strided(false), "q", caches_of(1, 2, 3)).of[0].once, 4 * 8);
}

TEST(Traffic, AThreadHasItsShare) {
  const auto nest = *scheduled(matmul(), parse_loop_schedule("{m} n k"));
  const Traffic share = traffic(share_of_a_thread(nest, 3), caches_of(1 << 10, 1 << 12, 1 << 20), {});
  EXPECT_EQ(share.calls, 3 * 8);  // of 8 blocks of rows, the first thread has 3
  EXPECT_EQ(share.points, 24 * 32 * 16);
}

TEST(Traffic, TouchedBytesOfEachLevel) {
  const auto bytes = touched_bytes(*scheduled(matmul(), parse_loop_schedule("m n k")));
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_THAT(bytes[0], ElementsAre(4096, 2048, 8192));
  EXPECT_THAT(bytes[1], ElementsAre(512, 2048, 1024));
  EXPECT_THAT(bytes[2], ElementsAre(512, 256, 128));
}

}  // namespace
}  // namespace brickwork
