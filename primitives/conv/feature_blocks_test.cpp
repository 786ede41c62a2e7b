#include "conv/feature_blocks.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

constexpr std::int64_t kManyRows = 224;

TEST(OutputFeatureBlock, IsTheWidestTileWhereItDivides) {
  for (const std::int64_t K : {64, 128, 192, 256, 2048}) {
    EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::dear), 64) << K;
    EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::fair), 64) << K;
  }
}

TEST(OutputFeatureBlock, HoldsFewFeaturesInOne) {
  for (const std::int64_t K : {1, 15, 16}) EXPECT_EQ(output_feature_block(K, kManyRows, OneVector::dear), K);
  EXPECT_EQ(output_feature_block(48, kManyRows, OneVector::dear), 48);
}

// 160 = 80 + 80, in tiles of three and two vectors; blocks of 64 would compute a fifth in vain.
TEST(OutputFeatureBlock, LeavesLittlePadding) {
  EXPECT_EQ(output_feature_block(160, kManyRows, OneVector::dear), 80);
  EXPECT_EQ(output_feature_block(96, kManyRows, OneVector::dear), 48);
}

// Eight rows are one tile three vectors wide, but two low ones that are four wide.
TEST(OutputFeatureBlock, SuitsTheRows) {
  EXPECT_EQ(output_feature_block(384, 8, OneVector::fair), 48);
  EXPECT_EQ(output_feature_block(512, 7, OneVector::fair), 64);
}

TEST(OutputFeatureBlock, IsOneVectorWhereAStaysInL1AndRowsAreCutBadly) {
  EXPECT_EQ(output_feature_block(256, 14, OneVector::fair), 16);
  EXPECT_EQ(output_feature_block(256, 14, OneVector::dear), 64);
  EXPECT_EQ(output_feature_block(64, 112, OneVector::cheap), 16);
}

}  // namespace
}  // namespace brickwork
