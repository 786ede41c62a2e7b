#include "experiments/learning/plan_ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "experiments/learning/testing/made_layers.hpp"
#include "primitives/nest/testing/on_one_thread.hpp"
#include "primitives/planning/tuning/ranking_weights.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kFewEpochs = 12;

PlanRankingLearner make_learner(std::vector<MeasuredLayer> layers, int epochs = kFewEpochs, std::uint32_t seed = 1,
                                std::optional<fs::path> keep_in = std::nullopt) {
  return {split_by_problem(std::move(layers), "made"),
          made_caches(),
          {.data = "", .epochs = epochs, .seed = seed, .brick = {.machine = {.threads = 2}}},
          std::move(keep_in)};
}

std::vector<double> curve_on_all_threads(PlanRankingLearner& learner, int epochs) {
  std::vector<double> losses;
  for (int i = 0; i < epochs; ++i) losses.push_back(learner.epoch().loss);
  return losses;
}

// Threads would only wait for each other on layers of this size.
std::vector<double> curve(PlanRankingLearner& learner, int epochs) {
  std::vector<double> losses;
  on_one_thread([&] { losses = curve_on_all_threads(learner, epochs); });
  return losses;
}

TEST(LearningPlanRanking, VariantsOfHeldOutProblemsAreOrderedRight) {
  PlanRankingLearner learner = make_learner(made_layers(24, 120, 1));
  EXPECT_LT(learner.test(), 0.75);
  curve(learner, kFewEpochs);
  EXPECT_GT(learner.test(), 0.9);
}

// With the seconds of other variants there is nothing to learn: this shows that the accuracy above comes from the
// facts.
TEST(LearningPlanRanking, ShuffledSecondsAreNotLearned) {
  auto layers = made_layers(24, 120, 1);
  Random random(1);
  for (MeasuredLayer& layer : layers) random.shuffle(layer.seconds);
  PlanRankingLearner learner = make_learner(layers);
  curve(learner, kFewEpochs);
  EXPECT_LT(learner.test(), 0.6);
  EXPECT_LT(learner.baseline(), 0.6);
}

TEST(LearningPlanRanking, ResultsAreTheSameOnAnyNumberOfThreads) {
  PlanRankingLearner one = make_learner(made_layers(6, 40, 1)), all = make_learner(made_layers(6, 40, 1));
  const auto losses = curve(one, 1);
  EXPECT_EQ(curve_on_all_threads(all, 1), losses);
  EXPECT_EQ(all.test(), one.test());
  EXPECT_EQ(all.trained(), one.trained());
}

TEST(LearningPlanRanking, TheSameSeedRepeatsACurveAndAnotherSeedDoesNot) {
  PlanRankingLearner one = make_learner(made_layers(6, 40, 1)), same = make_learner(made_layers(6, 40, 1)),
                     other = make_learner(made_layers(6, 40, 1), kFewEpochs, 2);
  const auto losses = curve(one, 2);
  EXPECT_EQ(curve(same, 2), losses);
  EXPECT_NE(curve(other, 2), losses);
}

TEST(LearningPlanRanking, VariantsThatAllTakeTheSameTimeTeachNothingAndEnd) {
  auto layers = made_layers(2, 3, 1);
  for (MeasuredLayer& layer : layers) layer.seconds.assign(3, 1.0);
  PlanRankingLearner learner = make_learner(layers);
  EXPECT_TRUE(std::isfinite(curve(learner, 1).front()));
  EXPECT_EQ(learner.test(), 1);  // of no pair
}

TEST(LearningPlanRanking, FeaturesThatTrainingNeverShowsHaveNoWeight) {
  auto layers = made_layers(4, 30, 1);
  for (MeasuredLayer& layer : layers) {
    for (Variant& variant : layer.variants) variant.facts.placed.back() = 0;
  }
  PlanRankingLearner learner = make_learner(layers, 1);
  curve(learner, 1);
  const std::vector<float> weights = learner.trained().layers.front().weights;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    const std::size_t feature = at % kRankFeatures;
    const bool shown = feature != kPlaces - 1 && feature != 3 * kPlaces;  // bytes placed in memory; multiply-adds
    EXPECT_EQ(weights[at] != 0, shown) << at;
  }
}

class FinishedPlanRanking : public testing::Test {
 protected:
  FinishedPlanRanking() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "out");
  }

  std::string text(const fs::path& file) const {
    std::ifstream in(folder_ / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "plan_ranking_test" /
                           testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FinishedPlanRanking, WeightsAreWrittenAndKeptIfTheyPickAtLeastAsWell) {
  auto layers = made_layers(8, 60, 1);
  for (MeasuredLayer& layer : layers) {  // the bytes that 'measured' adds up are the reverse of what matters
    for (std::size_t i = 0; i < layer.seconds.size(); ++i) layer.seconds[i] = 1 / layer.seconds[i];
  }
  PlanRankingLearner learner = make_learner(layers, 6, 1, folder_ / "kept");
  curve(learner, 6);
  const std::string told = learner.finish(folder_ / "out");
  EXPECT_THAT(told, HasSubstr("on 4 held-out layers the network's first variant has "));
  EXPECT_THAT(told, HasSubstr("\nkept for later runs on this processor in "));
  EXPECT_EQ(parse_ranking_network(text("out/network_weights.json")), learner.trained());
  EXPECT_EQ(find_ranking_network(folder_ / "kept").network, learner.trained());
  const std::string rows = text("out/rank_efficiency.csv");
  EXPECT_THAT(rows,
              testing::StartsWith("pass,problem,variants,network_top1,network_top5,measured_top1,measured_top5\n"));
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + 4);
}

TEST_F(FinishedPlanRanking, WeightsThatPickWorseThanTheBaselineAreNotKept) {
  auto layers = made_layers(8, 60, 1);
  Random random(1);
  for (MeasuredLayer& layer : split_by_problem(layers, "made").train) {  // wrong lessons
    for (MeasuredLayer& same : layers) {
      if (same.problem == layer.problem) random.shuffle(same.seconds);
    }
  }
  PlanRankingLearner learner = make_learner(layers, 2, 1, folder_ / "kept");
  curve(learner, 2);
  EXPECT_THAT(learner.finish(folder_ / "out"), HasSubstr("not kept for later runs, as 'measured' picks better"));
  EXPECT_FALSE(fs::exists(folder_ / "kept"));
  EXPECT_TRUE(fs::exists(folder_ / "out" / "network_weights.json"));
}

TEST_F(FinishedPlanRanking, AFolderThatCannotKeepThemIsSaid) {
  auto layers = made_layers(4, 20, 1);
  for (MeasuredLayer& layer : layers) layer.seconds.assign(20, 1.0);
  PlanRankingLearner learner = make_learner(layers, 1);
  EXPECT_THAT(learner.finish(folder_ / "out"), HasSubstr("cannot be kept for later runs: set HOME or XDG_CACHE_HOME"));
}

}  // namespace
}  // namespace brickwork
