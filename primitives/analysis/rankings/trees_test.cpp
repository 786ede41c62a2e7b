#include "primitives/analysis/rankings/trees.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/analysis/rankings/testing/made_variants.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

std::vector<Variant> placed(const std::vector<BytesByPlace>& all) {
  std::vector<Variant> variants;
  for (const BytesByPlace& bytes : all) variants.push_back({.nest = {}, .facts = {.placed = bytes}});
  return variants;
}

TEST(DecisionTree, MuchLessDataInAllDecidesFirst) {
  EXPECT_EQ(better_by_tree({0, 0, 0, 100}, {151, 0, 0, 0}), Winner::first);
  EXPECT_EQ(better_by_tree({151, 0, 0, 0}, {0, 0, 0, 100}), Winner::second);
}

TEST(DecisionTree, ThenTheFarthestPlaceThatDiffersDecides) {
  EXPECT_EQ(better_by_tree({0, 0, 0, 100}, {150, 0, 0, 0}), Winner::second);
  EXPECT_EQ(better_by_tree({0, 0, 80, 50}, {0, 50, 50, 52}), Winner::second);  // memory differs by less than 5 %
  EXPECT_EQ(better_by_tree({20, 80, 50, 50}, {80, 20, 50, 50}), Winner::second);
  EXPECT_EQ(better_by_tree({20, 50, 50, 50}, {30, 50, 50, 50}), Winner::first);
}

TEST(DecisionTree, NobodyWinsWhereNothingDiffersByFivePercent) {
  EXPECT_EQ(better_by_tree({100, 100, 100, 100}, {105, 104, 96, 102}), Winner::none);
  EXPECT_EQ(better_by_tree({}, {}), Winner::none);
}

TEST(RankingByTrees, CostsAreMinusTheWins) {
  const auto variants = placed({{10, 0, 0, 90}, {90, 0, 0, 10}, {50, 0, 0, 50}, {10, 0, 0, 1000}});
  EXPECT_THAT(costs_by_trees(variants, made_caches()), ElementsAre(-1, -3, -2, 0));
}

TEST(RankingByTrees, AVariantThatIsThereTwiceCountsTwice) {
  const auto variants = placed({{10, 0, 0, 90}, {90, 0, 0, 10}, {10, 0, 0, 90}});
  EXPECT_THAT(costs_by_trees(variants, made_caches()), ElementsAre(0, -2, 0));
  EXPECT_TRUE(costs_by_trees({}, made_caches()).empty());
}

// Four of five play. The one with the largest latency follows them.
TEST(RankingByTrees, BeyondTheMostPlayersTheLatenciesDecide) {
  const auto variants = placed({{0, 0, 0, 50}, {10, 0, 0, 0}, {0, 50, 0, 0}, {0, 0, 10, 0}, {0, 0, 0, 60}});
  const auto costs = costs_by_trees(variants, made_caches(), 4);
  EXPECT_THAT(costs, ElementsAre(0, -3, -1, -2, 4));
}

TEST(RankingByTrees, EveryGameOfThousandsOfVariantsCounts) {
  const auto variants = random_variants(3000, 1);
  const auto costs = costs_by_trees(variants, made_caches());
  for (std::size_t i = 0; i < variants.size(); i += 500) {
    const auto wins = std::ranges::count_if(variants, [&](const Variant& other) {
      return better_by_tree(variants[i].facts.placed, other.facts.placed) == Winner::first;
    });
    EXPECT_EQ(costs[i], -wins);
  }
}

}  // namespace
}  // namespace brickwork
