// A run with a time budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "experiments/harness/testing/run_test.hpp"

namespace brickwork {
namespace {

class RunnerBudget : public RunTest {
 protected:
  const FakeContender right_{"right", right_answer};
};

// On a clock that stands still, so that the whole budget is left whenever it is asked for.
TEST_F(RunnerBudget, GivesAProblemItsShareOfTheTimeBudget) {
  options_.samples = 1000;
  options_.min_time = 1e-3;
  options_.time_budget = 0.1;
  const std::vector<FakeProblem> problems = {
      {.name = "a", .size = 1}, {.name = "b", .size = 2}, {.name = "c", .size = 3}, {.name = "d", .size = 4}};
  EXPECT_EQ(run_fake(fake_experiment({right_}, problems), options_, [] { return 0.0; }), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, int> samples;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    samples[table.at(i, "name")] += table.at(i, "contender") == "right" && table.at(i, "phase") == "run";
  }
  // A sample costs 3.5 ms and packing 3: 6 fit into a quarter of the budget and 27 into all of it.
  EXPECT_GE(samples["a"], 3);
  EXPECT_LE(samples["a"], 6);
}

TEST_F(RunnerBudget, TakesAllSamplesWhereTheTimeBudgetHasRoomForThem) {
  options_.samples = 5;
  options_.time_budget = 1e9;
  EXPECT_EQ(run_fake(fake_experiment({right_}), options_), exit_ok);
  EXPECT_EQ(CsvTable(folder_ / "samples.csv").rows(), 10U + 5 + 3 + 2 * 5);  // stream; run, pack, peak and roof
}

TEST_F(RunnerBudget, KeepsToTheTimeBudgetWithAtLeastThreeSamples) {
  options_.samples = 1000;
  options_.min_time = 0.01;
  options_.time_budget = 1e-3;
  EXPECT_EQ(run_fake(fake_experiment({right_}), options_), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  EXPECT_EQ(table.rows(), 10U + 4 * 3);  // stream; run, pack, peak and roof
}

}  // namespace
}  // namespace brickwork
