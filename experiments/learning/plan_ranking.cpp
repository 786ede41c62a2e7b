#include "experiments/learning/plan_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <utility>

#include "experiments/harness/rows/csv_writer.hpp"
#include "experiments/learning/data_file.hpp"
#include "primitives/analysis/rankings/measured.hpp"
#include "primitives/analysis/rankings/tournament.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/planning/tuning/kept_file.hpp"
#include "primitives/planning/tuning/ranking_weights.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kPairs = 256, kPairMinibatches = 128;  // pairs of a minibatch, minibatches of an epoch
constexpr auto kPairInputs = static_cast<std::int64_t>(2 * kRankFeatures);

Network make_ranking_network(const NetworkBrick& brick) {
  auto network = Network::make(mlp_graph(kPairs, {kPairInputs, 32, 16, 16, 2}), brick);
  if (!network) throw std::runtime_error(network.reason());
  return *std::move(network);
}

std::vector<double> measured_costs(const MeasuredLayer& layer, const CacheHierarchy& caches) {
  return costs_by_measured(layer.variants, caches);
}

template <class Of>
double mean(const std::vector<MeasuredLayer>& layers, const Of& of) {
  double sum = 0;
  for (const MeasuredLayer& layer : layers) sum += of(layer);
  return sum / static_cast<double>(layers.size());
}

// Of a ranking on a layer: shares of the best variant's speed.
struct RankEfficiency {
  double top1, top5;
};

RankEfficiency efficiency_of(const MeasuredLayer& layer, const std::vector<double>& costs) {
  return {rank_efficiency(layer, costs, 1), rank_efficiency(layer, costs, top_5_percent(layer))};
}

struct GeometricMean {
  double logarithms = 0, count = 0;
  void add(double value) { logarithms += std::log(value), ++count; }
  double value() const { return std::exp(logarithms / count); }
};

}  // namespace

PlanRankingLearner::PlanRankingLearner(SplitLayers layers, const CacheHierarchy& caches, const LearningSetting& setting,
                                       std::optional<std::filesystem::path> keep_in)
    : layers_(std::move(layers)),
      caches_(caches),
      keep_in_(std::move(keep_in)),
      schedule_{.epochs = setting.epochs, .rate = 0.1F, .decay = 1e-3F},
      random_(setting.seed),
      network_(make_ranking_network(setting.brick)),
      inputs_(static_cast<std::size_t>(kPairs * kPairInputs)),
      logits_(static_cast<std::size_t>(kPairs * 2)),
      labels_(static_cast<std::size_t>(kPairs)) {
  for (const MeasuredLayer& layer : layers_.train) {
    features_.push_back(rank_features(layer.variants));
    std::vector<std::size_t> order(layer.variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&layer](std::size_t i) { return layer.seconds[i]; });
    order.resize((order.size() + 2) / 3);
    fastest_.push_back(std::move(order));
  }
  initialise();
}

// As He et al. (arXiv 1502.01852), but a feature that is 0 in all training has no weight: it would keep the random one.
void PlanRankingLearner::initialise() {
  std::array<bool, kRankFeatures> seen{};
  for (const RankFeatures& row : features_ | std::views::join) {
    for (std::size_t f = 0; f < kRankFeatures; ++f) seen[f] = seen[f] || row[f] != 0;
  }
  for (std::size_t i = 0; i < network_.parameters().size(); ++i) {
    const auto& [info, layer, role] = network_.parameters()[i];
    std::vector<float> values(static_cast<std::size_t>(info.size()));
    if (role == NetworkParameter::Role::weights) {
      const float bound = std::sqrt(6 / static_cast<float>(info.size() / info.dims.front()));
      for (float& value : values) value = random_.between(-bound, bound);
    }
    for (std::size_t at = 0; layer == 0 && role == NetworkParameter::Role::weights && at < values.size(); ++at) {
      if (!seen[at % kRankFeatures]) values[at] = 0;
    }
    network_.set_parameter(i, values.data());
  }
}

std::int64_t PlanRankingLearner::count(const std::vector<MeasuredLayer>& layers) {
  std::int64_t all = 0;
  for (const MeasuredLayer& layer : layers) all += std::ssize(layer.variants);
  return all;
}

// Two variants whose seconds differ. One is among the fastest third in every other pair, as a ranking must find those.
PlanRankingLearner::Pair PlanRankingLearner::draw() {
  const auto one_of = [this](std::size_t size) { return std::size_t{random_.below(static_cast<std::uint32_t>(size))}; };
  Pair pair{};
  for (int tries = 0; tries < 100; ++tries) {
    pair.layer = one_of(layers_.train.size());
    const std::vector<double>& seconds = layers_.train[pair.layer].seconds;
    const std::vector<std::size_t>& fastest = fastest_[pair.layer];
    pair.first = one_of(2) == 0 ? fastest[one_of(fastest.size())] : one_of(seconds.size());
    pair.second = one_of(seconds.size());
    if (one_of(2) == 0) std::swap(pair.first, pair.second);
    if (differ(seconds[pair.first], seconds[pair.second])) break;
  }
  return pair;
}

// Returns the share of pairs that were named right before the step.
double PlanRankingLearner::train_on_a_minibatch(const SgdStep& step, double& loss) {
  for (std::size_t n = 0; n < labels_.size(); ++n) {
    const auto [layer, first, second] = draw();
    float* const row = inputs_.data() + n * 2 * kRankFeatures;
    std::ranges::copy(features_[layer][second], std::ranges::copy(features_[layer][first], row).out);
    const std::vector<double>& seconds = layers_.train[layer].seconds;
    labels_[n] = seconds[first] < seconds[second] ? 0 : 1;
  }
  network_.set_images(inputs_.data());
  loss += static_cast<double>(network_.forward(labels_.data()));
  network_.get_logits(logits_.data());
  std::int64_t right = 0;
  for (std::size_t n = 0; n < labels_.size(); ++n) right += (logits_[2 * n] > logits_[2 * n + 1] ? 0 : 1) == labels_[n];
  network_.backward();
  network_.step(step);
  return static_cast<double>(right) / static_cast<double>(kPairs);
}

Epoch PlanRankingLearner::epoch() {
  const SgdStep step = schedule_.step(done_++);
  Epoch sum;
  for (std::int64_t i = 0; i < kPairMinibatches; ++i) sum.measure += train_on_a_minibatch(step, sum.loss);
  const auto minibatches = static_cast<double>(kPairMinibatches);
  return {.loss = sum.loss / minibatches, .measure = sum.measure / minibatches};
}

double PlanRankingLearner::test() {
  const RankingNetwork network = trained();
  return mean(layers_.test, [&network](const MeasuredLayer& layer) {
    RankingGames games(network, rank_features(layer.variants));
    return pair_accuracy(layer, [&games](std::size_t first, std::span<const std::size_t> others) {
      std::vector<double> answers;
      for (const float probability : games.play(first, others)) answers.push_back(probability > 0.5F ? 1 : 0);
      return answers;
    });
  });
}

double PlanRankingLearner::baseline() const {
  return mean(layers_.test,
              [this](const MeasuredLayer& layer) { return pair_accuracy(layer, measured_costs(layer, caches_)); });
}

RankingNetwork PlanRankingLearner::trained() const {
  RankingNetwork network{.processor = this_processor(), .layers = {}};
  for (std::size_t i = 0; i < network_.parameters().size(); ++i) {
    const auto& [info, layer, role] = network_.parameters()[i];
    std::vector<float> values(static_cast<std::size_t>(info.size()));
    network_.get_parameter(i, values.data());
    if (layer == network.layers.size()) network.layers.emplace_back();
    RankingNetwork::Layer& to = network.layers.back();
    (role == NetworkParameter::Role::weights ? to.weights : to.bias) = std::move(values);
  }
  return rounded(std::move(network));
}

std::string PlanRankingLearner::finish(const std::filesystem::path& folder) {
  const RankingNetwork network = trained();
  if (!replace_file(folder / "network_weights.json", to_string(network))) {
    throw std::runtime_error(fmt::format("{} cannot be written", (folder / "network_weights.json").string()));
  }
  CsvWriter csv(folder / "rank_efficiency.csv",
                {"pass", "problem", "variants", "network_top1", "network_top5", "measured_top1", "measured_top5"});
  GeometricMean ours1, ours5, measured1, measured5;
  for (const MeasuredLayer& layer : layers_.test) {
    const RankEfficiency ours = efficiency_of(layer, tournament_costs(network, layer.variants));
    const RankEfficiency measured = efficiency_of(layer, measured_costs(layer, caches_));
    ours1.add(ours.top1), ours5.add(ours.top5), measured1.add(measured.top1), measured5.add(measured.top5);
    csv.write_line({layer.pass, layer.problem, fmt::format("{}", layer.variants.size()), fmt::format("{}", ours.top1),
                    fmt::format("{}", ours.top5), fmt::format("{}", measured.top1), fmt::format("{}", measured.top5)});
  }
  csv.flush();
  std::string told = fmt::format(
      "on {} held-out layers the network's first variant has {:.3f} of the best one's speed, and the best of its top 5 "
      "% "
      "{:.3f}; the ranking 'measured' has {:.3f} and {:.3f}\n",
      layers_.test.size(), ours1.value(), ours5.value(), measured1.value(), measured5.value());
  if (ours1.value() < measured1.value())
    return told + "the weights are not kept for later runs, as 'measured' picks better\n";
  const auto kept = keep_ranking_network(network, keep_in_);
  return told + (kept ? fmt::format("kept for later runs on this processor in {}\n", kept->string())
                      : "the weights cannot be kept for later runs: set HOME or XDG_CACHE_HOME to a writable folder\n");
}

LearningTask learn_plan_ranking(std::optional<std::filesystem::path> keep_in) {
  return {.name = "plan-ranking",
          .about = "an MLP that says which of two variants of a plan is faster",
          .data = "measured variants, the CSV file that brickwork --plan variants prints",
          .examples = "variants",
          .measure = "accuracy",
          .baseline = "the ranking 'measured'",
          .epochs = 40,
          .begin = [keep_in](const LearningSetting& setting) -> LearnerPtr {
            std::ifstream in = open_data(setting.data);
            SplitLayers layers = split_by_problem(read_measured_layers(in, setting.data), setting.data);
            return std::make_unique<PlanRankingLearner>(std::move(layers), setting.brick.machine.caches(), setting,
                                                        keep_in);
          }};
}

}  // namespace brickwork
