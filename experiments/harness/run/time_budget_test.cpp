#include "experiments/harness/run/time_budget.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

class Budget : public testing::Test {
 protected:
  TimeBudget budget(double seconds, std::size_t problems) {
    options_.time_budget = seconds;
    return {options_, problems, [this] { return now_; }};
  }

  Options options_ = [] {
    Options options;
    options.samples = 100;
    options.min_time = 1;
    return options;
  }();
  double now_ = 1000;
};

TEST_F(Budget, IsSharedEquallyByTheProblemsThatAreLeft) {
  auto budget = this->budget(300, 4);
  budget.start_problem();
  EXPECT_EQ(budget.samples({}), 25);  // peak and roof alone take 1.5 s each
  now_ += 30;                         // the first problem took less than its share
  budget.start_problem();
  EXPECT_EQ(budget.samples({}), 30);
  now_ += 120;
  budget.start_problem();
  budget.start_problem();
  EXPECT_EQ(budget.samples({}), 50);  // the last one gets the rest
}

TEST_F(Budget, IsReducedByTheTimeOfChecks) {
  auto budget = this->budget(300, 2);
  now_ += 60;
  budget.start_problem();
  EXPECT_EQ(budget.samples({}), 40);
  now_ += 45;
  EXPECT_EQ(budget.samples({}), 25);
}

TEST_F(Budget, CountsEveryCallOfEveryContender) {
  auto budget = this->budget(210, 1);
  budget.start_problem();
  // A sample: 3 of peak and roof, 2 + 3 of the slow contender, 0.5 + 1.5 of the fast one. Packing: 3 * (4 + 4), 3 * (0
  // + 1).
  EXPECT_EQ(budget.samples({{.run_seconds = 2, .pack_seconds = 4}, {.run_seconds = 0.5, .pack_seconds = 0}}),
            (210 - 24 - 3) / 10);
}

TEST_F(Budget, LeavesAtLeastThreeSamplesUnlessFewerWereAskedFor) {
  auto budget = this->budget(1, 1);
  now_ += 500;
  budget.start_problem();
  EXPECT_EQ(budget.samples({}), 3);
  options_.samples = 2;
  EXPECT_EQ(budget.samples({}), 2);
}

TEST_F(Budget, GivesNoMoreThanWasAskedFor) {
  auto budget = this->budget(1e6, 1);
  budget.start_problem();
  EXPECT_EQ(budget.samples({}), 100);
  options_.time_budget.reset();
  EXPECT_EQ(budget.samples({{.run_seconds = 1e9, .pack_seconds = 1e9}}), 100);
}

// Peak and roof take 1.5 s each for a sample, a contender 1.5 s, and packing it 3 s.
TEST_F(Budget, TheLeastIsThreeSamplesOfEveryContenderOnEveryProblem) {
  EXPECT_DOUBLE_EQ(TimeBudget::least(options_, 2, 1), 2 * (3 * 4.5 + 3));
  options_.samples = 2;
  EXPECT_DOUBLE_EQ(TimeBudget::least(options_, 1, 2), 2 * 6.0 + 6);
}

}  // namespace
}  // namespace brickwork
