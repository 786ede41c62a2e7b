// Training of the neural ranking of plans (primitives/analysis/rankings/tournament.hpp): a multilayer perceptron learns
// from measured variants which of two is faster.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/learning/learning_task.hpp"
#include "experiments/learning/plan_ranking_data.hpp"
#include "experiments/learning/random.hpp"
#include "experiments/learning/schedule.hpp"
#include "primitives/analysis/rankings/rank_features.hpp"
#include "primitives/analysis/rankings/ranking_network.hpp"
#include "primitives/network/network.hpp"
#include "primitives/planning/tuning/tuning_cache.hpp"

namespace brickwork {

// The measure is the share of held-out pairs of variants in which it names the faster one; the baseline is the ranking
// 'measured' on the same pairs.
class PlanRankingLearner final : public Learner {
 public:
  // keep_in: the folder in which later runs look for weights; nullopt: none is kept.
  PlanRankingLearner(SplitLayers, const CacheHierarchy&, const LearningSetting&,
                     std::optional<std::filesystem::path> keep_in);

  std::int64_t trained_on() const override { return count(layers_.train); }
  std::int64_t tested_on() const override { return count(layers_.test); }
  Epoch epoch() override;
  double test() override;
  double baseline() const override;

  // Writes network_weights.json, and rank_efficiency.csv with a row for each held-out layer. Keeps the weights for
  // later runs on this processor if their picks are at least as fast as the baseline's.
  std::string finish(const std::filesystem::path& folder) override;

  RankingNetwork trained() const;  // rounded, as it is kept

 private:
  struct Pair {
    std::size_t layer, first, second;
  };

  static std::int64_t count(const std::vector<MeasuredLayer>&);
  void initialise();
  Pair draw();
  double train_on_a_minibatch(const SgdStep&, double& loss);

  SplitLayers layers_;
  CacheHierarchy caches_;
  std::optional<std::filesystem::path> keep_in_;
  std::vector<std::vector<RankFeatures>> features_;  // of the layers to train on
  std::vector<std::vector<std::size_t>> fastest_;    // third of the variants of each of them
  TrainingSchedule schedule_;
  int done_ = 0;  // epochs
  Random random_;
  Network network_;
  std::vector<float> inputs_, logits_;
  std::vector<std::int32_t> labels_;
};

LearningTask learn_plan_ranking(std::optional<std::filesystem::path> keep_in = tuning_folder());

}  // namespace brickwork
