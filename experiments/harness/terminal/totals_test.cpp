#include "experiments/harness/terminal/totals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

ProblemInfo problem_of_flop(const std::string& name, int count, double flop) {
  return {.id = name, .name = name, .count = count, .flop = flop};
}

// Work over time, weighted by how often the network has the problem; not a mean of rates or of shares.
TEST(Totals, TheTableWeightsEachProblemByItsCount) {
  Totals totals;
  EXPECT_TRUE(totals.empty());
  EXPECT_EQ(totals.table(), "");
  const auto a = problem_of_flop("a", 3, 2e9), b = problem_of_flop("b", 1, 8e9);
  totals.add(a, "ours", true, 2, 4e9);
  totals.add(a, "theirs", false, 1, 4e9);
  totals.end_problem();
  totals.add(b, "ours", true, 1, 1e10);
  totals.end_problem();
  EXPECT_EQ(totals.table(),
            "all problems               GFLOP/s            ms  share of the loaded roof\n"
            "ours                           2.0      7000.000                    41.2 %\n"  // 14 in 7 s, 34 at the roof
            "theirs                         2.0      3000.000                    50.0 %   (1 of 2 problems)\n");
}

TEST(Totals, WithoutALimitThereIsNoShare) {
  Totals totals;
  totals.add(problem_of_flop("a", 1, 2e9), "cudnn", false, 1, 0);
  totals.end_problem();
  EXPECT_EQ(totals.table(),
            "all problems               GFLOP/s            ms\n"
            "cudnn                          2.0      1000.000\n");
  EXPECT_EQ(totals.headline(), "cudnn 2.0 GFLOP/s");
}

TEST(Totals, TheHeadlineComparesTheFastestOfOursWithTheFastestOther) {
  Totals totals;
  const auto a = problem_of_flop("a", 1, 2e9), b = problem_of_flop("b", 1, 2e9);
  for (const auto& problem : {a, b}) {
    totals.add(problem, "slow", true, 3, 4e9);
    totals.add(problem, "fast", true, 1, 4e9);
    totals.add(problem, "other", false, 1.5, 4e9);
    totals.add(problem, "another", false, 2, 4e9);
    totals.end_problem();
  }
  EXPECT_EQ(totals.headline(), "fast 2.0 GFLOP/s (50 % of the loaded roof), 1.50 times as fast as other");
  totals.add(problem_of_flop("c", 1, 2e9), "another", false, 20, 4e9);
  EXPECT_THAT(totals.headline(), testing::EndsWith(", 2.00 times as fast as another")) << "it has the most problems";
}

TEST(Totals, AHeadlineOfNothingSaysSo) {
  Totals totals;
  EXPECT_EQ(totals.headline(), "nothing was timed");
  totals.add(problem_of_flop("a", 1, 2e9), "ours", true, 1, 4e9);
  totals.add(problem_of_flop("b", 1, 2e9), "other", false, 1, 4e9);
  EXPECT_EQ(totals.headline(), "ours 2.0 GFLOP/s (50 % of the loaded roof)") << "no problem has both";
}

}  // namespace
}  // namespace brickwork
