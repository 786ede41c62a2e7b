#include "primitives/analysis/rankings/rank_features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/analysis/rankings/testing/made_variants.hpp"

namespace brickwork {
namespace {

constexpr std::size_t kL1Placed = 0, kFmas = 3 * kPlaces, kMovedInMemory = kRankFeatures - 1;

TEST(RankFeatures, FactsAreScaledByTheirLogarithms) {
  std::vector<Variant> variants(3);
  variants[0].facts.placed[0] = 1;
  variants[1].facts.placed[0] = 3;
  variants[2].facts.placed[0] = 15;
  const auto features = rank_features(variants);
  EXPECT_FLOAT_EQ(features[0][kL1Placed], 0);
  EXPECT_FLOAT_EQ(features[1][kL1Placed], 1 / 3.0F);
  EXPECT_FLOAT_EQ(features[2][kL1Placed], 1);
}

TEST(RankFeatures, AFactThatAllVariantsShareIsZero) {
  const auto variants = random_variants(20, 1);
  for (const RankFeatures& features : rank_features(variants)) EXPECT_EQ(features[kFmas], 0);
  EXPECT_TRUE(rank_features({}).empty());
}

TEST(RankFeatures, BytesForAMultiplyAddAreTheSameForALargerProblemOfTheSameKind) {
  auto variants = random_variants(20, 1);
  const auto small = rank_features(variants);
  for (Variant& variant : variants) {
    VariantFacts& facts = variant.facts;
    facts.fmas *= 10;
    for (auto* bytes : {&facts.read, &facts.written}) {
      for (double& b : *bytes) b *= 10;
    }
  }
  const auto large = rank_features(variants);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    EXPECT_NEAR(large[i][kMovedInMemory], small[i][kMovedInMemory], 1e-5) << i;
  }
  EXPECT_NE(small[0][kMovedInMemory], small[1][kMovedInMemory]);
}

TEST(RankFeatures, AllLieNearZeroToOne) {
  for (const RankFeatures& features : rank_features(random_variants(200, 2))) {
    const auto [least, most] = std::ranges::minmax(features);
    EXPECT_GE(least, -1.0F);
    EXPECT_LE(most, 1.0F);
  }
}

}  // namespace
}  // namespace brickwork
