#include "experiments/search/plan_search.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace brickwork {
namespace {

// Plans are places on a line; the neighbours of a place are those up to reach_ steps away. Running a plan takes as long
// as the test says, on a clock of the test.
class PlanSearches : public testing::Test {
 protected:
  using Cost = std::function<double(int plan, int call)>;  // seconds; calls of a plan are counted from 1

  SearchResult<int> search(int rule, Cost cost) {
    const auto make = [=, this](int plan) -> std::function<void()> {
      if (plan == misfit_) return nullptr;
      if (plan == not_made_) throw std::runtime_error("no memory for it");
      return [=, this] {
        if (plan == not_run_) throw std::runtime_error("it breaks");
        now_ += cost(plan, ++calls_[plan]);
      };
    };
    const auto neighbours = [this](int plan) {
      std::vector<int> plans;
      for (int step = 1; step <= reach_; ++step) plans.insert(plans.end(), {plan - step, plan + step});
      std::erase_if(plans, [&](int p) { return p < 0 || p > last_; });
      return plans;
    };
    return PlanSearch<int>({neighbours, make, [this] { moved_ = true; }},
                           {seconds_, [this] { return now_; }, [this] { return now_ > stop_at_; }})
        .run(rule);
  }

  double now_ = 1000, seconds_ = 5, stop_at_ = 1e9;
  int reach_ = 1, last_ = 60;
  int misfit_ = -1, not_made_ = -1, not_run_ = -1;
  std::map<int, int> calls_;
  bool moved_ = false;
};

double valley(int plan) { return 1e-3 * (1 + 0.05 * std::abs(plan - 42)); }

TEST_F(PlanSearches, FindTheBestPlan) {
  const auto found = search(30, [](int plan, int) { return valley(plan); });
  EXPECT_EQ(found.plan, 42);
  EXPECT_NEAR(found.speedup, valley(30) / valley(42), 1e-9);
  EXPECT_EQ(found.tried, static_cast<int>(calls_.size()) - 1);
}

// Where no neighbour is better, the search goes on from the cheapest ones. On the other side it could go on without
// end.
TEST_F(PlanSearches, GoOnBeyondSlowerNeighbours) {
  last_ = 1'000'000;
  const auto found = search(5000, [](int plan, int) {
    return 1e-3 * (plan == 5000 ? 1 : plan == 5040 ? 0.5 : plan > 5000 ? 1.02 : 1.04);
  });
  EXPECT_EQ(found.plan, 5040);
  EXPECT_NEAR(found.speedup, 2, 1e-9);
}

TEST_F(PlanSearches, ATieGoesToTheRule) {
  const auto found = search(10, [](int, int) { return 1e-3; });
  EXPECT_EQ(found.plan, 10);
  EXPECT_EQ(found.speedup, 1);
  EXPECT_EQ(found.tried, last_);
}

TEST_F(PlanSearches, LessThanTheMarginIsATie) {
  const auto better_by = [](double share) {
    return [=](int plan, int) { return 1e-3 * (plan == 11 ? 1 - share : 1); };
  };
  EXPECT_EQ(search(10, better_by(0.9 * kSearchMargin)).plan, 10);
  EXPECT_EQ(search(10, better_by(1.1 * kSearchMargin)).plan, 11);
}

// Plan 11 is faster during its race only: the first call, and three samples of three calls with one more before each.
TEST_F(PlanSearches, AWinnerMustWinASecondTime) {
  const auto found = search(10, [](int plan, int call) { return 1e-3 * (plan == 11 && call <= 13 ? 0.8 : 1); });
  EXPECT_EQ(found.plan, 10);
  EXPECT_EQ(found.speedup, 1);
}

TEST_F(PlanSearches, AWinnerMustWinAtOtherAddresses) {
  const auto found = search(10, [this](int plan, int) { return 1e-3 * (plan == 11 && !moved_ ? 0.8 : 1); });
  EXPECT_TRUE(moved_);
  EXPECT_EQ(found.plan, 10);
  EXPECT_EQ(found.speedup, 1);
}

TEST_F(PlanSearches, ReportTheSmallerOfTwoSpeedups) {
  const auto speedup = [this](double here, double elsewhere) {
    moved_ = false;
    return search(10, [=, this](int plan, int) { return 1e-3 * (plan != 11 ? 1 : moved_ ? elsewhere : here); }).speedup;
  };
  EXPECT_NEAR(speedup(0.5, 0.8), 1 / 0.8, 1e-9);
  EXPECT_NEAR(speedup(0.8, 0.5), 1 / 0.8, 1e-9);
}

TEST_F(PlanSearches, NoiseMakesNoWinner) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> disturbed(0.98, 1.02);
    EXPECT_EQ(search(10, [&](int, int) { return 1e-3 * disturbed(random); }).plan, 10) << seed;
  }
}

TEST_F(PlanSearches, NoiseHidesNoWinner) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> disturbed(0.98, 1.02);
  EXPECT_GT(search(30, [&](int plan, int) { return valley(plan) * disturbed(random); }).speedup, 1.4);
}

TEST_F(PlanSearches, StopAfterOnePairIfAPlanIsClearlySlower) {
  seconds_ = 1000;
  search(10, [](int plan, int) { return plan == 10 ? 10.0 : 20.0; });  // so slow that a sample is one call
  EXPECT_EQ(calls_[11], 2);                                            // one to see how long it takes, one in a pair
}

TEST_F(PlanSearches, SkipPlansThatDoNotFitOrThrow) {
  reach_ = 5;
  misfit_ = 11, not_made_ = 12, not_run_ = 13;
  const auto found = search(10, [](int plan, int) { return 1e-3 * (plan > 10 ? 0.5 - 0.1 * (plan - 10) / 60 : 1); });
  EXPECT_EQ(found.plan, 60);
  EXPECT_EQ(calls_.count(13), 0U);
}

TEST_F(PlanSearches, EndInTime) {
  last_ = 1'000'000;
  reach_ = 3;
  const auto found = search(10, [](int plan, int) { return 1e-3 / (1 + 0.02 * plan); });
  EXPECT_GT(found.plan, 10);
  EXPECT_GT(now_, 1000 + 0.7 * seconds_);
  EXPECT_LT(now_, 1000 + 1.01 * seconds_);
}

TEST_F(PlanSearches, EndInTimeWhereNothingIsBetter) {
  last_ = 1'000'000;
  reach_ = 5000;
  EXPECT_EQ(search(10, [](int, int) { return 1e-3; }).plan, 10);
  EXPECT_LT(now_, 1000 + seconds_);
}

// A winner needs at least three pairs in each of the final measurements; before the second one both plans run once.
TEST_F(PlanSearches, EndSoonAfterTheirTimeWithSlowPlans) {
  const auto found = search(10, [](int plan, int) { return plan == 10 ? 0.5 : 0.25; });
  EXPECT_NE(found.plan, 10);
  EXPECT_LT(now_, 1000 + seconds_ + 7 * 0.75 + 1);
}

TEST_F(PlanSearches, AnInterruptEndsThemWithTheRulesPlan) {
  stop_at_ = 1000 + 0.2;
  const auto found = search(10, [](int plan, int) { return valley(plan); });
  EXPECT_EQ(found.plan, 10);
  EXPECT_EQ(found.speedup, 1);
  EXPECT_GT(found.tried, 0);
  EXPECT_LT(now_, stop_at_ + 0.1);
}

TEST_F(PlanSearches, AnInterruptInTheFinalMeasurementsEndsThem) {
  last_ = 1'000'000;
  stop_at_ = 1000 + 0.9 * seconds_;
  const auto found = search(10, [](int plan, int) { return 0.03 / (1 + 0.02 * plan); });
  EXPECT_EQ(found.plan, 10);
  EXPECT_LT(now_, stop_at_ + 0.5);
}

TEST_F(PlanSearches, TheRulesPlanMustRun) {
  misfit_ = 10;
  EXPECT_THROW(search(10, [](int, int) { return 1e-3; }), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
