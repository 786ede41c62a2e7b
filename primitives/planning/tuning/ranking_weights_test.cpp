#include "primitives/planning/tuning/ranking_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "primitives/analysis/rankings/testing/made_network.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RankingWeights : public testing::Test {
 protected:
  RankingWeights() { fs::remove_all(folder_); }

  const fs::path folder_ = fs::path(testing::TempDir()) / "ranking_weights_test" /
                           testing::UnitTest::GetInstance()->current_test_info()->name() / "brickwork";
  const RankingNetwork trained_ = rounded(random_network({4, 2}, 1)), shipped_ = rounded(random_network({4, 2}, 2));
};

TEST_F(RankingWeights, KeptOnesAreUsed) {
  const auto file = keep_ranking_network(trained_, folder_);
  ASSERT_TRUE(file);
  EXPECT_TRUE(fs::exists(*file));
  const ChosenRankingNetwork chosen = find_ranking_network(folder_, shipped_);
  ASSERT_TRUE(chosen.network);
  EXPECT_EQ(chosen.network->layers, trained_.layers);
  EXPECT_EQ(chosen.network->processor, this_processor());
  EXPECT_EQ(chosen.from, "trained on this processor");
  EXPECT_EQ(chosen.warning, "");
}

TEST_F(RankingWeights, WithoutAFileTheShippedOnesAreUsed) {
  for (const auto& folder : {std::optional(folder_), std::optional<fs::path>()}) {
    const ChosenRankingNetwork chosen = find_ranking_network(folder, shipped_);
    EXPECT_EQ(chosen.network, shipped_);
    EXPECT_EQ(chosen.from, "shipped, trained on random");
    EXPECT_EQ(chosen.warning, "");
  }
}

TEST_F(RankingWeights, WithoutAnyTheOrderOfMeasuredIsNamed) {
  const ChosenRankingNetwork chosen = find_ranking_network(folder_, std::nullopt);
  EXPECT_FALSE(chosen.network);
  EXPECT_THAT(chosen.from, HasSubstr("the order of 'measured'"));
  EXPECT_THAT(chosen.warning, HasSubstr("no weights for the ranking 'network'"));
  EXPECT_THAT(chosen.warning, HasSubstr("learn --task plan-ranking"));
}

TEST_F(RankingWeights, ThoseOfAnotherProcessorOrVersionAreNotUsed) {
  const fs::path file = *keep_ranking_network(trained_, folder_);
  std::ofstream(file) << to_string(trained_);  // its processor is "random"
  ChosenRankingNetwork chosen = find_ranking_network(folder_, shipped_);
  EXPECT_EQ(chosen.network, shipped_);
  EXPECT_THAT(chosen.warning, HasSubstr("are those of another processor, 'random', and are not used: train them anew"));

  std::string text = to_string(trained_);
  std::ofstream(file) << text.replace(text.find("\"version\":1"), 11, "\"version\":0");
  chosen = find_ranking_network(folder_, shipped_);
  EXPECT_EQ(chosen.network, shipped_);
  EXPECT_THAT(chosen.warning, HasSubstr("as its version is 0, and this program's is 1: train them anew"));

  std::ofstream(file) << "weights";
  chosen = find_ranking_network(folder_, std::nullopt);
  EXPECT_FALSE(chosen.network);
  EXPECT_THAT(chosen.warning, HasSubstr("as it is no JSON object"));
}

TEST_F(RankingWeights, AFolderThatCannotBeWrittenKeepsNothing) {
  EXPECT_FALSE(keep_ranking_network(trained_, std::nullopt));
  EXPECT_FALSE(keep_ranking_network(trained_, "/proc/none"));
}

}  // namespace
}  // namespace brickwork
