// The screen of a whole run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/terminal/progress.hpp"
#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "experiments/harness/testing/run_test.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class RunnerScreen : public RunTest {
 protected:
  RunnerScreen() { options_.samples = 3; }

  std::string shown(const std::unique_ptr<Experiment>& experiment, ExitCode expected = exit_ok) const {
    fs::remove_all(folder_);
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_fake(experiment, options_), expected);
    return testing::internal::GetCapturedStdout();
  }

  // A contender whose library is not part of this build.
  static Contender<FakeOp> lacking(const std::string& name) {
    auto made = contender({name, right_answer});
    made.library.absent = "built without it";
    return made;
  }

  const FakeContender right_{"right", right_answer};
  const FakeContender wrong_{"wrong", [](auto, auto output) { std::ranges::fill(output, 0.0F); }};
  const FakeContender absent_{"absent", right_answer, Status::absent, "its library is missing"};
  const std::vector<FakeProblem> three_ = {
      {.name = "a", .size = 1}, {.name = "b", .size = 2}, {.name = "c", .size = 3}};
};

TEST_F(RunnerScreen, AReasonIsShownOnce) {
  FakeContender second = absent_;
  second.name = "second";
  for (const bool check_only : {false, true}) {
    options_.check_only = check_only;
    const std::string screen = shown(fake_experiment({absent_, right_, second}, three_));
    const std::string line = "\n  absent, second absent on a: its library is missing\n";
    ASSERT_THAT(screen, HasSubstr(line));
    EXPECT_EQ(screen.find("its library"), screen.rfind("its library"));
    const CsvTable table(folder_ / "samples.csv");
    int rows = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) rows += table.at(i, "reason") == "its library is missing";
    EXPECT_EQ(rows, 2 * 3);
  }
}

TEST_F(RunnerScreen, ContendersWhoseLibrariesAreAbsentAreOneLine) {
  const auto experiment = [&] {
    return fake_experiment_of({lacking("one"), contender(right_), lacking("another")}, three_);
  };
  const std::string screen = shown(experiment());
  EXPECT_THAT(screen, HasSubstr("absent here: one, another; brickwork --list --experiment fake says why\n"));
  EXPECT_EQ(screen.find("another"), screen.rfind("another"));
  EXPECT_THAT(screen, Not(HasSubstr("built without it")));
  options_.brief = true;
  EXPECT_THAT(shown(experiment()), HasSubstr("; absent here: one, another"));
}

TEST_F(RunnerScreen, ABriefOneIsALineAndTheFailures) {
  const std::string end = "(; [0-9]+ warnings? in environment.json)?\n";  // of the machine where the test runs
  options_.brief = true;
  EXPECT_THAT(shown(fake_experiment({right_}, three_)),
              testing::MatchesRegex("fake in 0:0[0-9]: right [0-9.]+ GFLOP/s \\([0-9]+ % of the loaded roof\\)" + end));
  EXPECT_THAT(shown(fake_experiment({right_, wrong_, absent_}, three_), exit_failed),
              testing::MatchesRegex("  wrong failed on a: .*\nfake in .*; 3 failed" + end));
  options_.check_only = true;
  EXPECT_THAT(shown(fake_experiment({right_}, three_)),
              testing::MatchesRegex("fake in 0:0[0-9]: 3 checks passed, 0 failed, 0 skipped; largest error 0 \\(right "
                                    "on [abc]\\)" +
                                    end));
}

TEST_F(RunnerScreen, ACheckEndsWithTheLargestErrorOfEachContender) {
  const FakeContender off{"off", [](auto right, auto output) {
                            right_answer(right, output);
                            if (right.size() == 2 * 64) output[0] += 1;
                          }};
  options_.check_only = true;
  EXPECT_THAT(shown(fake_experiment({right_, off, absent_}, three_), exit_failed),
              testing::ContainsRegex("\nright +largest error 0 +on a\noff +largest error 1 +on b\n5 checks passed, 1 "
                                     "failed, 3 skipped\n"));
}

TEST_F(RunnerScreen, FewerSamplesAreSaidOnce) {
  options_.samples = 1000;
  options_.min_time = 0.01;
  options_.time_budget = 1e-3;
  const std::string screen = shown(fake_experiment({right_}, three_));
  EXPECT_THAT(screen, HasSubstr("\n3 of 3 problems have 3 samples instead of 1000, to keep to the time budget\n"));
  EXPECT_EQ(screen.find("instead of 1000"), screen.rfind("instead of 1000"));
  EXPECT_THAT(screen, HasSubstr("of its time budget: checks and 3 samples each took longer\n"));
}

TEST_F(RunnerScreen, TheTuningIsShownUnlessItWasKept) {
  options_.tuning_text = "tiles=6";
  options_.tuning_from = "calibrated in 1.1 s";
  EXPECT_THAT(shown(fake_experiment({right_})), HasSubstr("tuning of the simd brick: tiles=6 (calibrated in 1.1 s)\n"));
  options_.tuning_from = "kept from an earlier calibration";
  EXPECT_THAT(shown(fake_experiment({right_})), Not(HasSubstr("tiles=6")));
}

TEST_F(RunnerScreen, ShowsTheMediansOfItsRowsAndTheirShareOfTheLoadedRoof) {
  const std::string screen = shown(fake_experiment({right_, wrong_}), exit_failed);
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, std::vector<double>> rates;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "status") == "ok" && table.at(i, "phase") == "run") {
      rates[table.at(i, "contender")].push_back(std::stod(table.at(i, "flop")) / std::stod(table.at(i, "seconds")));
    }
  }
  ASSERT_EQ(rates["right"].size(), 3U);
  const double rate = median(rates["right"]), share = 100 * rate / median(rates[kLoadedRoofName]);
  EXPECT_THAT(screen, HasSubstr("[1/1] only  | "));
  EXPECT_THAT(screen, testing::ContainsRegex(fmt::format("\n  right +{:.1f} GFLOP/s  [^ ]+ ms +{:.0f} % of the loaded "
                                                         "roof\n",
                                                         1e-9 * rate, share)));
  EXPECT_THAT(screen, HasSubstr("  wrong failed on only: "));
  EXPECT_THAT(screen, HasSubstr("results in " + folder_.string()));
}

TEST_F(RunnerScreen, ShowsHowFarTheRulesPlanIsFromTheBestThatWasFound) {
  const auto far_slower = [](auto right, auto output) {  // so that the ratio shows which way up it is
    for (int i = 0; i < 100; ++i) right_answer(right, output);
  };
  const FakeContender searched{
      .name = "right-searched", .run = far_slower, .searched_for = "right", .plan = "kb,\"n\""};
  const std::string screen = shown(fake_experiment({right_, searched}));
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, std::vector<double>> seconds;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "phase") == "run") seconds[table.at(i, "contender")].push_back(std::stod(table.at(i, "seconds")));
  }
  ASSERT_EQ(seconds["right-searched"].size(), 3U);
  EXPECT_THAT(screen,
              HasSubstr(fmt::format("\n  right-searched on only: {:.3f} times as fast as right, with kb,\"n\" (",
                                    median(seconds["right"]) / median(seconds["right-searched"]))));
}

TEST_F(RunnerScreen, TakesTimesOfOneAndTheSamePlanForNoDifference) {
  const FakeContender searched{.name = "right-searched", .run = right_answer, .searched_for = "right"};
  const std::string screen = shown(fake_experiment({right_, searched}));
  EXPECT_THAT(screen, HasSubstr("\n  right-searched on only: no plan was faster than right's\n"));
  EXPECT_THAT(screen, Not(HasSubstr("times as fast")));
}

TEST_F(RunnerScreen, SaysNothingOfAPlanWhoseRuleHasNoTime) {
  const FakeContender searched{.name = "right-searched", .run = right_answer, .searched_for = "absent"};
  EXPECT_THAT(shown(fake_experiment({absent_, searched, right_})), Not(HasSubstr("times as fast")));
}

}  // namespace
}  // namespace brickwork
