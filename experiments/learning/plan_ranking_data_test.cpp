#include "experiments/learning/plan_ranking_data.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "experiments/learning/testing/made_layers.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kVariantHeader =
    "pass,problem,plan,placed_l1,placed_l2,placed_l3,placed_memory,read_l1,read_l2,read_l3,read_memory,"
    "written_l1,written_l2,written_l3,written_memory,fmas,calls,instructions_per_fma,seconds\n";

std::string line(const std::string& pass, const std::string& problem, const std::string& seconds,
                 const std::string& first = "0") {
  return fmt::format("{},{},\"bc=64, bk=64\",{},2,3,4,5,6,7,8,9,10,11,12,1e9,1000,1.25,{}\n", pass, problem, first,
                     seconds);
}

std::vector<MeasuredLayer> layers_of_text(const std::string& text) {
  std::istringstream in(text);
  return read_measured_layers(in, "variants.csv");
}

TEST(MeasuredVariants, LinesOfOnePassAndProblemAreALayer) {
  const auto layers = layers_of_text(kVariantHeader + line("forward", "a", "1e-3", "1") + line("update", "a", "2e-3") +
                                     line("forward", "b", "3e-3") + line("forward", "a", "4e-3"));
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].pass + layers[0].problem, "forwarda");
  EXPECT_THAT(layers[0].seconds, ElementsAre(1e-3, 4e-3));
  EXPECT_THAT(layers[2].seconds, ElementsAre(3e-3));
  const VariantFacts& facts = layers[0].variants[0].facts;
  EXPECT_THAT(facts.placed, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(facts.read, ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(facts.written, ElementsAre(9, 10, 11, 12));
  EXPECT_EQ(facts.fmas, 1e9);
  EXPECT_EQ(facts.calls, 1000);
  EXPECT_EQ(facts.instructions_per_fma, 1.25);
}

TEST(MeasuredVariants, ColumnsAreFoundByNameAndOthersAreIgnored) {
  std::string header = "threads," + kVariantHeader;
  EXPECT_EQ(layers_of_text(header + "4," + line("forward", "a", "1")).at(0).seconds.at(0), 1);
}

TEST(MeasuredVariants, ErrorsNameFileLineColumnAndRemedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "variants.csv: the file is empty: measured variants need the columns pass, problem, plan, placed_l1, "},
      {"pass,problem,plan\n", "variants.csv:1: column placed_l1 is missing: measured variants need the columns"},
      {kVariantHeader + "forward,a,plan\n", "variants.csv:2: 3 fields where the header has 19 columns"},
      {kVariantHeader + line("forward", "a", "fast"),
       "variants.csv:2: column seconds: 'fast' is no number from 0 on: write a number such as 1.5e-3"},
      {kVariantHeader + line("forward", "a", "-1"), "column seconds: '-1' is no number from 0 on"},
      {kVariantHeader + line("forward", "a", "inf"), "column seconds: 'inf' is no number from 0 on"},
      {kVariantHeader + line("forward", "a", "nan"), "column seconds: 'nan' is no number from 0 on"},
      {kVariantHeader + line("forward", "a", "0"), "column seconds: a variant takes more than 0 seconds"},
      {kVariantHeader + line("forward", "a", "1") + line("forward", "a", "1", ""),
       "variants.csv:3: column placed_l1: '' is no number from 0 on"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT([&] { layers_of_text(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message))) << text;
  }
}

TEST(SplitByProblem, NoProblemIsOnBothSides) {
  const SplitLayers split = split_by_problem(made_layers(20, 3, 1), "variants.csv");
  EXPECT_EQ(split.test.size(), 10U);  // two passes of five problems
  EXPECT_EQ(split.train.size(), 30U);
  std::set<std::string> trained;
  for (const MeasuredLayer& layer : split.train) trained.insert(layer.problem);
  for (const MeasuredLayer& layer : split.test) EXPECT_FALSE(trained.contains(layer.problem)) << layer.problem;
}

TEST(SplitByProblem, TheOrderOfLinesDoesNotChangeIt) {
  auto layers = made_layers(20, 3, 1);
  const auto names = [](const SplitLayers& split) {
    std::set<std::string> tested;
    for (const MeasuredLayer& layer : split.test) tested.insert(layer.problem);
    return tested;
  };
  const auto tested = names(split_by_problem(layers, "variants.csv"));
  std::ranges::reverse(layers);
  EXPECT_EQ(names(split_by_problem(layers, "variants.csv")), tested);
}

TEST(SplitByProblem, OneProblemIsTooFew) {
  EXPECT_THAT([] { split_by_problem(made_layers(1, 3, 1), "variants.csv"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(
                  "variants.csv: there are several variants of 1 problem: at least two problems are needed")));
  EXPECT_THAT([] { split_by_problem(made_layers(5, 1, 1), "variants.csv"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("several variants of 0 problems")));
}

const MeasuredLayer kFour{
    .pass = "forward", .problem = "a", .variants = std::vector<Variant>(4), .seconds = {4, 1, 2, 3}};

TEST(RankMeasures, PairsAreCountedBothWays) {
  EXPECT_EQ(pair_accuracy(kFour, {4, 1, 2, 3}), 1);
  EXPECT_EQ(pair_accuracy(kFour, {1, 4, 3, 2}), 0);
  EXPECT_EQ(pair_accuracy(kFour, {0, 0, 0, 0}), 0.5);
  EXPECT_DOUBLE_EQ(pair_accuracy(kFour, {4, 2, 1, 3}), 5 / 6.0);
}

TEST(RankMeasures, PairsWithinNoiseDoNotCount) {
  MeasuredLayer layer = kFour;
  layer.seconds = {4, 1, 1.005, 3};
  EXPECT_EQ(pair_accuracy(layer, {4, 2, 1, 3}), 1);
}

TEST(RankMeasures, EfficiencyIsTheShareOfTheBestSpeed) {
  const std::vector<double> costs{1, 4, 2, 3};  // the first choices take 4, 2, 3 and 1
  EXPECT_EQ(rank_efficiency(kFour, costs, 1), 0.25);
  EXPECT_EQ(rank_efficiency(kFour, costs, 2), 0.5);
  EXPECT_EQ(rank_efficiency(kFour, costs, 9), 1);
  EXPECT_EQ(top_5_percent(kFour), 1U);
}

}  // namespace
}  // namespace brickwork
