#include "experiments/learning/plan_ranking_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/harness/rows/csv_reader.hpp"
#include "experiments/learning/random.hpp"
#include "primitives/planning/variants/variant_columns.hpp"

namespace brickwork {
namespace {

// A number of at least 0.
double real(const CsvReader& reader, const std::string& column) {
  const std::string& digits = reader.text(column);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value) || value < 0) {
    reader.refuse(fmt::format("column {}: '{}' is no number from 0 on: write a number such as 1.5e-3", column, digits));
  }
  return value;
}

VariantFacts facts_of_line(const CsvReader& reader) {
  VariantFacts facts;
  for (const auto& [name, member] : kBytesColumns) {
    for (std::size_t place = 0; place < kPlaces; ++place) {
      (facts.*member)[place] = real(reader, fmt::format("{}_{}", name, kPlaceColumns[place]));
    }
  }
  for (const auto& [name, member] : kCountColumns) facts.*member = real(reader, name);
  return facts;
}

std::vector<std::size_t> evenly(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(count, most); ++i) chosen.push_back(i * count / std::min(count, most));
  return chosen;
}

}  // namespace

std::vector<MeasuredLayer> read_measured_layers(std::istream& in, std::string_view file) {
  const auto columns = variant_columns();
  std::string needs = "measured variants need the columns ";
  for (const std::string& column : columns) needs += column + (column == columns.back() ? "" : ", ");
  CsvReader reader(in, file, needs);
  for (const std::string& column : columns) {
    if (!reader.has(column)) reader.refuse(fmt::format("column {} is missing: {}", column, needs));
  }
  std::vector<MeasuredLayer> layers;
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  while (reader.next()) {
    const auto& [at, is_new] = index.emplace(std::pair(reader.text("pass"), reader.text("problem")), layers.size());
    if (is_new) layers.push_back({.pass = at->first.first, .problem = at->first.second});
    const double seconds = real(reader, "seconds");
    if (seconds == 0) reader.refuse("column seconds: a variant takes more than 0 seconds");
    MeasuredLayer& layer = layers[at->second];
    layer.variants.push_back({.nest = {}, .facts = facts_of_line(reader)});
    layer.seconds.push_back(seconds);
  }
  return layers;
}

SplitLayers split_by_problem(std::vector<MeasuredLayer> layers, std::string_view file) {
  std::erase_if(layers, [](const MeasuredLayer& layer) { return layer.variants.size() < 2; });
  std::set<std::string> names;
  for (const MeasuredLayer& layer : layers) names.insert(layer.problem);
  if (names.size() < 2) {
    throw std::invalid_argument(
        fmt::format("{}: there are several variants of {} problem{}: at least two problems are needed, one to train on "
                    "and one to test on",
                    file, names.size(), names.size() == 1 ? "" : "s"));
  }
  std::vector<std::string> problems(names.begin(), names.end());
  Random(0).shuffle(problems);
  problems.resize(std::max<std::size_t>(1, problems.size() / 4));
  SplitLayers split;
  for (MeasuredLayer& layer : layers) {
    const bool tests = std::ranges::find(problems, layer.problem) != problems.end();
    (tests ? split.test : split.train).push_back(std::move(layer));
  }
  return split;
}

bool differ(double seconds, double other) { return std::max(seconds, other) > 1.01 * std::min(seconds, other); }

double pair_accuracy(const MeasuredLayer& layer, const IsFirst& is_first) {
  const std::vector<std::size_t> others = evenly(layer.variants.size(), 64);
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < layer.variants.size(); ++i) {
    const std::vector<double> answers = is_first(i, others);
    for (std::size_t o = 0; o < others.size(); ++o) {
      const double first = layer.seconds[i], second = layer.seconds[others[o]];
      if (!differ(first, second)) continue;
      right += first < second ? answers[o] : 1 - answers[o];
      ++pairs;
    }
  }
  return pairs > 0 ? right / pairs : 1;
}

double pair_accuracy(const MeasuredLayer& layer, const std::vector<double>& costs) {
  return pair_accuracy(layer, [&costs](std::size_t first, std::span<const std::size_t> others) {
    std::vector<double> answers;
    for (const std::size_t other : others) {
      answers.push_back(costs[first] < costs[other] ? 1 : costs[first] > costs[other] ? 0 : 0.5);
    }
    return answers;
  });
}

double rank_efficiency(const MeasuredLayer& layer, const std::vector<double>& costs, std::size_t count) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return costs[i]; });
  double least = layer.seconds[order.front()];
  for (const std::size_t i : std::span(order).first(std::min(count, order.size()))) {
    least = std::min(least, layer.seconds[i]);
  }
  return std::ranges::min(layer.seconds) / least;
}

std::size_t top_5_percent(const MeasuredLayer& layer) { return (layer.variants.size() + 19) / 20; }

}  // namespace brickwork
