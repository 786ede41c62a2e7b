#include "experiments/search/conv_forward_search.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

const ConvProblem kProblem = parse_problem<ConvProblem>("N2 C16 K24 H6 R3 ph1 bias+residual+relu");

// Every plan takes the same time: each look at the clock advances it by a millisecond.
SearchResult<ConvPlan> search(const ConvPlan& rule, double seconds, double stop_after = 1e9) {
  double now = 0;
  const SearchLimits limits{seconds, [&] { return now += 1e-3; }, [&] { return now > stop_after; }};
  return search_conv_forward(kProblem, rule, limits, Backend::simd);
}

TEST(ConvForwardSearch, RunsPlansAndLeavesATieToTheRule) {
  const ConvPlan rule = plan_conv_forward(kProblem, {.threads = 2});
  const auto found = search(rule, 2);
  EXPECT_EQ(found.plan, rule);
  EXPECT_GT(found.tried, 10);
}

TEST(ConvForwardSearch, EndsAtAnInterrupt) {
  const ConvPlan rule = plan_conv_forward(kProblem, {.threads = 2});
  EXPECT_LT(search(rule, 1000, 0.05).tried, 10);
}

TEST(ConvForwardSearch, RefusesARuleThatDoesNotFit) {
  ConvPlan rule = plan_conv_forward(kProblem, {.threads = 2});
  rule.bc = kProblem.C + 1;
  EXPECT_THROW(search(rule, 1), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
