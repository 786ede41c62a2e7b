#include "experiments/search/plan_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace brickwork {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::Optional;

// A plan is the milliseconds that it takes; 0 does not fit, a negative one throws.
class PlanSweep : public testing::Test {
 protected:
  std::vector<std::optional<double>> sweep(const std::vector<int>& plans, int stop_after = 1 << 20) {
    return sweep_plans<int>(
        plans,
        [this](int ms) -> std::function<void()> {
          if (ms < 0) throw std::runtime_error("no memory");
          if (ms == 0) return nullptr;
          return [this, ms] { now_ += 1e-3 * ms; };
        },
        [this] { return now_; }, [&] { return ++asked_ > stop_after; });
  }

  double now_ = 0;
  int asked_ = 0;
};

TEST_F(PlanSweep, MeasuresEachPlan) {
  EXPECT_THAT(sweep({3, 1, 7}), ElementsAre(Optional(DoubleNear(3e-3, 1e-9)), Optional(DoubleNear(1e-3, 1e-9)),
                                            Optional(DoubleNear(7e-3, 1e-9))));
}

TEST_F(PlanSweep, LeavesOutPlansThatDoNotRun) {
  const auto seconds = sweep({0, 2, -1});
  EXPECT_THAT(seconds, ElementsAre(Eq(std::nullopt), Optional(DoubleNear(2e-3, 1e-9)), Eq(std::nullopt)));
}

TEST_F(PlanSweep, HasNoResultIfItIsStopped) { EXPECT_THAT(sweep({3, 1, 7}, 5), Each(Eq(std::nullopt))); }

}  // namespace
}  // namespace brickwork
