#include "primitives/conv/feature_blocks.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

constexpr std::int64_t kManyRows = 224;
constexpr std::int64_t kWide = 64, kHalf = 32;  // preferred blocks of machines

TEST(OutputFeatureBlock, IsTheWidestTileIfItDividesK) {
  for (const std::int64_t K : {64, 128, 192, 256, 2048}) {
    EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::dear, kWide), 64) << K;
    EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::fair, kWide), 64) << K;
  }
}

TEST(OutputFeatureBlock, HoldsAllOfFewFeatures) {
  for (const std::int64_t K : {1, 15, 16}) EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::dear, kWide), K);
  EXPECT_EQ(output_feature_block(48, kManyRows, OneVector::dear, kWide), 48);
}

// For machines whose tiles are half as wide.
TEST(OutputFeatureBlock, IsThePreferredBlockOfTheMachine) {
  for (const std::int64_t K : {32, 64, 96, 128, 2048}) {
    EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::dear, kHalf), 32) << K;
  }
  for (const std::int64_t K : {1, 15, 16}) EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::dear, kHalf), K);
  EXPECT_EQ(output_feature_block(48, kManyRows, OneVector::dear, kHalf), 48);
  EXPECT_EQ(output_feature_block(80, kManyRows, OneVector::dear, kHalf), 80);
}

// 160 = 80 + 80, in tiles of three and two vectors; with blocks of 64 a sixth of the work would be padding.
TEST(OutputFeatureBlock, LeavesLittlePadding) {
  EXPECT_EQ(output_feature_block(160, kManyRows, OneVector::dear, kWide), 80);
  EXPECT_EQ(output_feature_block(96, kManyRows, OneVector::dear, kWide), 48);
}

// Eight rows are one tile if it is three vectors wide, but two tiles of few rows if they are four vectors wide.
TEST(OutputFeatureBlock, SuitsTheNumberOfRows) {
  EXPECT_EQ(output_feature_block(384, 8, OneVector::fair, kWide), 48);
  EXPECT_EQ(output_feature_block(512, 7, OneVector::fair, kWide), 64);
}

TEST(OutputFeatureBlock, IsOneVectorIfAStaysInL1AndRowsAreCutBadly) {
  EXPECT_EQ(output_feature_block(256, 14, OneVector::fair, kWide), 16);
  EXPECT_EQ(output_feature_block(256, 14, OneVector::dear, kWide), 64);
  EXPECT_EQ(output_feature_block(64, 112, OneVector::cheap, kWide), 16);
}

}  // namespace
}  // namespace brickwork
