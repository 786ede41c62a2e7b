#include "experiments/search/conv_runs.hpp"

#include <gtest/gtest.h>

#include "experiments/search/conv_plan_neighbours.hpp"
#include "experiments/search/plan_search.hpp"

namespace brickwork {
namespace {

const ConvProblem kProblem = parse_problem<ConvProblem>("N2 C16 K24 H6 R3 ph1 bias+residual+relu");

// Every plan takes the same time: each look at the clock advances it by a millisecond.
SearchResult<ConvPlan> search(const ConvPlan& rule, double seconds, double stop_after = 1e9) {
  double now = 0;
  SharedTensors tensors;
  return PlanSearch<ConvPlan>({[](const ConvPlan& plan) { return conv_plan_neighbours(kProblem, plan); },
                               conv_forward_runs(kProblem, {}, tensors), [&] { tensors.forget(); }},
                              {seconds, [&] { return now += 1e-3; }, [&] { return now > stop_after; }})
      .run(rule);
}

TEST(ConvRuns, ASearchRunsPlansAndLeavesATieToTheRule) {
  const ConvPlan rule = plan_conv_forward(kProblem, {.threads = 2});
  const auto found = search(rule, 2);
  EXPECT_EQ(found.plan, rule);
  EXPECT_GT(found.tried, 10);
}

TEST(ConvRuns, ASearchEndsAtAnInterrupt) {
  EXPECT_LT(search(plan_conv_forward(kProblem, {.threads = 2}), 1000, 0.05).tried, 10);
}

TEST(ConvRuns, ASearchRefusesARuleThatDoesNotFit) {
  ConvPlan rule = plan_conv_forward(kProblem, {.threads = 2});
  rule.bc = kProblem.C + 1;
  EXPECT_THROW(search(rule, 1), std::invalid_argument);
}

TEST(ConvRuns, EachPassRunsAPlanAndRefusesOneThatDoesNotFit) {
  const auto p = parse_problem<ConvProblem>("N2 C16 K24 H6 R3 ph1");
  SharedTensors tensors;
  const auto runs = [](const auto& make, auto plan) {
    const auto work = make(plan);
    ASSERT_TRUE(work);
    work();
    plan.bc = 1 << 20;
    EXPECT_FALSE(make(plan));
  };
  runs(conv_forward_runs(p, {}, tensors), plan_conv_forward(p, {}));
  runs([backward = conv_backward_runs(p, {}, tensors)](const ConvPlan& plan) { return backward(plan); },
       std::get<ConvPlan>(plan_conv_backward_data(p, {})));
  runs(conv_update_runs(p, {}, tensors), plan_conv_update(p, {}));
}

TEST(SharedTensors, OfTheSameSizesAreTheSameUntilTheyAreForgotten) {
  SharedTensors tensors;
  const auto first = tensors.of({3, 5}), same = tensors.of({3, 5}), others = tensors.of({5, 3});
  EXPECT_EQ(first, same);
  EXPECT_NE(first, others);
  ASSERT_EQ(first->size(), 2U);
  EXPECT_EQ((*first)[1].size(), 5U);
  EXPECT_EQ((*first)[1][4], 1.0F);
  tensors.forget();
  EXPECT_NE(tensors.of({3, 5}), first);
}

}  // namespace
}  // namespace brickwork
