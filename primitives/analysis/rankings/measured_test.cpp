#include "primitives/analysis/rankings/measured.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "primitives/analysis/rankings/latency.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

// Ten bytes in a nanosecond from everywhere, but one from memory; 100 multiply-adds and 0.1 calls in one.
const CacheHierarchy kCaches{.bandwidth = {10, 10, 10, 1}, .fmas = 100, .call = 10};

Variant variant_with(const VariantFacts& facts, std::size_t levels = 0) {
  return {.nest = {{}, std::vector<ScheduledLevel>(levels)}, .facts = facts};
}

TEST(MeasuredRanking, ACostHasItsParts) {
  const MeasuredCost cost =
      measured_cost({.read = {100, 0, 0, 50}, .written = {0, 200, 0, 0}, .fmas = 1e4, .calls = 7}, kCaches);
  EXPECT_EQ(cost.multiply_adds, 100);
  EXPECT_EQ(cost.calls, 140);
  EXPECT_THAT(cost.moving, ElementsAre(testing::DoubleNear(1, 1e-9), testing::DoubleNear(6, 1e-9), 0,
                                       testing::DoubleNear(10, 1e-9)));
  EXPECT_NEAR(cost.all(), 257, 1e-9);
}

TEST(MeasuredRanking, MoreOfAnythingCostsMore) {
  const VariantFacts usual{.read = {1, 1, 1, 1}, .written = {1, 1, 1, 1}, .fmas = 1e3, .calls = 1};
  const double before = measured_cost(usual, kCaches).all();
  const auto costs = [&](auto change) {
    VariantFacts facts = usual;
    change(facts);
    return measured_cost(facts, kCaches).all();
  };
  for (std::size_t place = 0; place < kPlaces; ++place) {
    EXPECT_GT(costs([&](VariantFacts& f) { f.read[place] *= 2; }), before) << place;
    EXPECT_GT(costs([&](VariantFacts& f) { f.written[place] *= 2; }), before) << place;
  }
  EXPECT_GT(costs([](VariantFacts& f) { f.fmas *= 2; }), before);
  EXPECT_GT(costs([](VariantFacts& f) { f.calls *= 2; }), before);
  EXPECT_GT(costs([](VariantFacts& f) { f.instructions_per_fma *= 2; }), before);
}

TEST(MeasuredRanking, OfEqualVariantsTheSimplerNestIsCheaper) {
  const VariantFacts facts{.fmas = 1e3};
  const auto costs = costs_by_measured(std::vector{variant_with(facts, 5), variant_with(facts, 4)}, kCaches);
  EXPECT_GT(costs[0], costs[1]);
}

TEST(LatencyRanking, WeighsWorkingSetsWithTheirLatency) {
  const auto placed = [](double l1, double l2, double l3, double memory) {
    return variant_with({.placed = {l1, l2, l3, memory}});
  };
  const auto costs = costs_by_latency(
      std::vector{placed(1, 0, 0, 0), placed(0, 1, 0, 0), placed(0, 0, 1, 0), placed(0, 0, 0, 1)}, kCaches);
  EXPECT_THAT(costs, ElementsAre(testing::DoubleNear(4, 1e-6), testing::DoubleNear(14, 1e-6),
                                 testing::DoubleNear(60, 1e-6), testing::DoubleNear(84, 1e-6)));
}

// 15 * 4 = 60: as much latency in L1 as in L3, but L1 is faster to read.
TEST(LatencyRanking, BandwidthDecidesBetweenEqualLatencies) {
  const auto costs = costs_by_latency(
      std::vector{variant_with({.placed = {15, 0, 0, 0}}), variant_with({.placed = {0, 0, 1, 0}})}, kCaches);
  EXPECT_NE(costs[0], costs[1]);
}

TEST(Rankings, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (const Ranking& ranking : rankings()) names.insert(ranking.name);
  EXPECT_EQ(names.size(), rankings().size());
  EXPECT_THAT(names, testing::IsSupersetOf({"latency", "measured", "trees", "network", "lru"}));
}

TEST(Rankings, WorkingSetsArePlacedForThoseThatReadThem) {
  // C[m] += A[m][k]: 4 rows of 8.
  NestTouches touches{
      .loops = {{"m", 4}, {.name = "k", .extent = 8, .kind = LoopKind::reduction}},
      .axes = {{"m", 4, 0}, {"k", 8, 1}},
      .tensors = {{"A", Touch::read, {{{{0}}, 0, 4}, {{{1}}, 0, 8}}}, {"C", Touch::reduce, {{{{0}}, 0, 4}}}}};
  std::vector<Variant> variants{{.nest = *scheduled(touches, parse_loop_schedule("m k"))}};
  place_working_sets(variants, {.bytes = {1 << 10, 1 << 12, 1 << 14}});
  EXPECT_GT(variants[0].facts.placed[0], 0);
  EXPECT_EQ(variants[0].facts.placed[1], 0);
}

}  // namespace
}  // namespace brickwork
