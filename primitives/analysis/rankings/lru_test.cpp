#include "primitives/analysis/rankings/lru.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/analysis/rankings/testing/made_variants.hpp"
#include "primitives/analysis/rankings/testing/small_nests.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kAll = 1 << 30;

// L1 holds three blocks of 4 x 4 floats and memory everything: a byte takes 1 ns from L1 and 100 ns from memory.
CacheHierarchy three_blocks() {
  return {.bytes = {3 * 64, 3 * 64, 3 * 64}, .latency = {}, .bandwidth = {1, 0.5, 0.1, 0.01}};
}

double nanoseconds(const ScheduledNest& nest, const CacheHierarchy& caches, std::int64_t most_uses = kAll) {
  return simulated_nanoseconds({.nest = nest, .facts = {}}, caches, most_uses);
}

// 2 x 2 x 2 blocks, k innermost. Each call uses A, B, C: calls (m n k) 000 001 | 010 011 | 100 101 | 110 111. C hits in
// each second call: 4 hits. Of A and B every use misses, as three other blocks are used between two uses of one.
TEST(CacheSimulation, AProductAgreesWithTheCountByHand) {
  EXPECT_DOUBLE_EQ(nanoseconds(product_nest(8, 8, 8, 4, "m n k"), three_blocks()), 64 * (4 * 1.0 + 20 * 100.0));
}

// k outermost: A hits in each second call, and so nothing else: between two uses of B or C lie at least four blocks.
TEST(CacheSimulation, AnotherOrderHitsElsewhere) {
  EXPECT_DOUBLE_EQ(nanoseconds(product_nest(8, 8, 8, 4, "k m n"), three_blocks()), 64 * (4 * 1.0 + 20 * 100.0));
  CacheHierarchy five = three_blocks();
  five.bytes = {5 * 64, 5 * 64, 5 * 64};
  // m innermost: B hits in each second call; with five blocks, C and A of the call before last do not.
  EXPECT_DOUBLE_EQ(nanoseconds(product_nest(8, 8, 8, 4, "k n m"), five), 64 * (4 * 1.0 + 20 * 100.0) - 64 * 2 * 99.0);
}

TEST(CacheSimulation, AllCallsAtOnceTouchAllOnce) {
  EXPECT_DOUBLE_EQ(nanoseconds(product_nest(4, 4, 8, 4, "m n k:2"), three_blocks()), (128 + 128 + 64) * 100.0);
}

TEST(CacheSimulation, RowsOfWindowsAreReused) {
  // 3 x 3 windows over 4 x 4 pixels, a row of pixels each call: a row of src has 6 columns, dst 4. Two of three rows
  // hit.
  CacheHierarchy large = three_blocks();
  large.bytes = {4096, 4096, 4096};
  const double rows = 6 * 24 * 100.0 + 6 * 24 * 1.0, dst = 4 * 16 * 100.0;
  EXPECT_DOUBLE_EQ(nanoseconds(window_nest(4, 4, 3, 1, 0, 4, "p q"), large), rows + dst);
}

TEST(CacheSimulation, MultiplyAddsAndCallsTakeTheirTime) {
  const Variant variant{.nest = product_nest(4, 4, 4, 4, "m n k"), .facts = {.fmas = 64, .calls = 3}};
  CacheHierarchy caches = three_blocks();
  caches.fmas = 16, caches.call = 10;
  EXPECT_DOUBLE_EQ(simulated_nanoseconds(variant, caches, kAll), nanoseconds(variant.nest, caches) + 4 + 30);
}

TEST(CacheSimulation, AFewUsesStandForAllOfARegularNest) {
  const ScheduledNest nest = product_nest(256, 256, 256, 4, "m n k");
  EXPECT_NEAR(nanoseconds(nest, three_blocks(), 6000) / nanoseconds(nest, three_blocks()), 1, 0.01);
}

TEST(CacheSimulation, CallsAreThoseThatExist) {
  EXPECT_EQ(calls_of(product_nest(8, 8, 8, 4, "m n k")), 8);
  EXPECT_EQ(calls_of(product_nest(28, 4, 4, 4, "m:3 n m k")), 7);    // 3 + 3 + 1
  EXPECT_EQ(calls_of(product_nest(4, 4, 28, 4, "m n k:5 k:2")), 4);  // 2 + 2 + 1, 2
  EXPECT_EQ(calls_of(share_of_a_thread(product_nest(28, 4, 4, 4, "{m} n k"), 2)), 4);
}

// With k innermost C stays in L1, A in L2 and B in L3. With k outermost C moves through memory.
TEST(RankingByLru, TheOrderThatReusesMoreWins) {
  std::vector<Variant> variants;
  for (const char* schedule : {"k m n", "m n k", "k n m"}) {
    variants.push_back({.nest = product_nest(256, 64, 64, 4, schedule), .facts = {.fmas = 1}});
  }
  CacheHierarchy caches = three_blocks();
  caches.bytes = {1280, 8192, 32768};
  const auto costs = costs_by_lru(variants, caches);
  EXPECT_LT(costs[1], costs[0]);
  EXPECT_LT(costs[1], costs[2]);
  EXPECT_TRUE(costs_by_lru({}, caches).empty());
}

TEST(RankingByLru, FinalistsComeBeforeAllOthers) {
  std::vector<Variant> variants;
  for (const char* schedule : {"k m n", "m n k", "k n m", "n m k", "m:4 n k m", "n:4 m k n"}) {
    variants.push_back({.nest = product_nest(128, 128, 128, 4, schedule), .facts = {}});
  }
  const LruEffort effort{.uses = 6 * 1500, .finalists = 2};
  const auto costs = costs_by_lru(variants, made_caches(), effort);
  std::vector<double> first, sorted = costs;
  for (const Variant& variant : variants) first.push_back(simulated_nanoseconds(variant, made_caches(), 1500));
  std::ranges::sort(sorted);
  std::ranges::sort(first);
  for (std::size_t i = 2; i < sorted.size(); ++i) EXPECT_DOUBLE_EQ(sorted[i], first[i] + sorted[1]);
}

}  // namespace
}  // namespace brickwork
