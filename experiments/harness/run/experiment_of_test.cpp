#include "experiments/harness/run/experiment_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/harness/testing/fake_experiment.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

std::vector<std::string> chosen(const std::vector<std::string>& named, bool all) {
  const std::vector<Contender<FakeOp>> table = {contender({"first", right_answer}),
                                                contender({.name = "slow", .run = right_answer, .slow = true}),
                                                contender({"last", right_answer})};
  std::vector<std::string> names;
  for (const auto& contender : experiment_of::choose_contenders(table, named, all)) names.push_back(contender.name);
  return names;
}

TEST(ChooseContenders, TakesAllButTheSlowOnesUnlessTheyAreNamed) {
  EXPECT_THAT(chosen({}, false), ElementsAre("first", "last"));
  EXPECT_THAT(chosen({}, true), ElementsAre("first", "slow", "last"));
  EXPECT_THAT(chosen({"last", "slow"}, false), ElementsAre("slow", "last"));
  EXPECT_THAT(chosen({"last"}, true), ElementsAre("last"));
  EXPECT_THROW(chosen({"lost"}, false), std::invalid_argument);
}

TEST(ChooseContenders, ASearchingContenderIsChosenWithTheOneWhosePlanItSearches) {
  const std::vector<Contender<FakeOp>> table = {
      contender({"first", right_answer}),
      contender({.name = "first-searched", .run = right_answer, .searched_for = "first"}),
      contender({"last", right_answer})};
  const auto chosen = [&](const std::vector<std::string>& named) {
    std::vector<std::string> names;
    for (const auto& contender : experiment_of::choose_contenders(table, named, false)) names.push_back(contender.name);
    return names;
  };
  EXPECT_THAT(chosen({"first"}), ElementsAre("first", "first-searched"));
  EXPECT_THAT(chosen({"first-searched"}), ElementsAre("first-searched"));
  EXPECT_THAT(chosen({"last"}), ElementsAre("last"));
}

TEST(Setting, IsSharedByAllProblems) {
  const auto setting = [](std::int64_t first, std::int64_t second) {
    const auto experiment =
        fake_experiment({{"right", right_answer}}, {{.name = "a", .size = first}, {.name = "b", .size = second}});
    EXPECT_EQ(experiment->problems()[0].setting, experiment->problems()[1].setting);
    return experiment->problems()[0].setting;
  };
  EXPECT_THAT(setting(3, 3), ElementsAre("size=3"));
  EXPECT_THAT(setting(3, 4), ElementsAre());
}

// Two problems; one of two contenders searches.
TEST(CheckPlan, SearchesTakeAtMostHalfOfTheTimeBudget) {
  const auto experiment =
      fake_experiment({{"right", right_answer}, {.name = "searched", .run = right_answer, .searched_for = "right"}},
                      {{.name = "a", .size = 1}, {.name = "b", .size = 2}});
  Options options;
  options.plan_search = 5;
  const auto check = [&] { experiment_of::check_plan(*experiment, options, {"searched"}); };
  EXPECT_NO_THROW(check());
  options.time_budget = 20;
  EXPECT_NO_THROW(check());
  options.time_budget = 19;
  EXPECT_THAT(check, testing::ThrowsMessage<std::invalid_argument>(
                         "--plan search takes 10 s in all (2 problems, 5 s each), more than half of "
                         "--time-budget 19: give it at least 20 s, or the searches less"));
  options.list = true;
  EXPECT_NO_THROW(check());
}

TEST(CheckPlan, AContenderMustSearch) {
  const auto experiment = fake_experiment({{"right", right_answer}}, {{.name = "a", .size = 1}});
  Options options;
  options.plan_search = 5;
  EXPECT_THAT(
      [&] { experiment_of::check_plan(*experiment, options, {"right"}); },
      testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("no contender searches plans of the pass")));
}

TEST(CheckTimeBudget, TheBudgetMustSufficeForTheFewestSamples) {
  const auto experiment = fake_experiment({{"right", right_answer}}, {{.name = "a", .size = 1}});
  Options options;
  options.min_time = 1;
  const auto check = [&] { experiment_of::check_time_budget(*experiment, options); };
  EXPECT_NO_THROW(check());
  options.time_budget = 16.5;
  EXPECT_NO_THROW(check());
  options.time_budget = 16;
  EXPECT_THAT(check, testing::ThrowsMessage<std::invalid_argument>(
                         "--time-budget 16 is too short: 3 samples of 1 s of 1 contender on 1 problem take 17 s "
                         "without the checks; give it at least that, or take fewer problems or contenders"));
  options.check_only = true;
  EXPECT_NO_THROW(check());
}

}  // namespace
}  // namespace brickwork
