#include "experiments/search/conv_plan_neighbours.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>

#include "primitives/conv/forward/conv_forward_blocking.hpp"
#include "primitives/conv/testing/random_conv.hpp"

namespace brickwork {
namespace {

bool cut(const ConvPlan& plan, const char* loop) {
  return std::ranges::count(plan.loops.levels, std::string(loop), &LoopSchedule::Level::name) > 1;
}

// Walks three steps from the default plan or from a random one: all neighbours are legal.
TEST(ConvPlanNeighbours, AreLegalAndDifferFromThePlan) {
  const bool legal = rc::check([] {
    const ConvProblem p = random_conv_problem();
    ConvPlan plan = *rc::gen::arbitrary<bool>() ? random_conv_plan(p) : plan_conv_forward(p, {.threads = 2});
    for (int step = 0; step < 3; ++step) {
      const auto beside = conv_plan_neighbours(p, plan);
      RC_ASSERT(!beside.empty());
      for (std::size_t i = 0; i < beside.size(); ++i) {
        const auto blocking = ConvForwardBlocking::make(p, beside[i]);
        if (!blocking) RC_FAIL(blocking.reason());
        RC_ASSERT(beside[i] != plan);
        RC_ASSERT(std::count(beside.begin(), beside.end(), beside[i]) == 1);
      }
      plan = *rc::gen::elementOf(beside);
    }
  });
  EXPECT_TRUE(legal);
}

TEST(ConvPlanNeighbours, DifferInEveryChoice) {
  const auto p = parse_problem<ConvProblem>("N28 C256 K512 H28");
  const auto plan = parse_conv_plan("bc=64 bk=64 bq=196 flat loops={n kb} oj oi cb:4");
  const auto beside = conv_plan_neighbours(p, plan);
  const std::pair<const char*, std::function<bool(const ConvPlan&)>> choices[] = {
      {"bc", [](const auto& n) { return n.bc == 32 && n.loops.levels.back().step == 8; }},
      {"bk", [](const auto& n) { return n.bk == 128; }},
      {"a part of the pixels", [](const auto& n) { return n.bq == 131; }},
      {"whole tiles", [](const auto& n) { return n.bq == 198; }},
      {"rows", [](const auto& n) { return !n.flat() && n.bq == 28; }},
      {"prefetch", [](const auto& n) { return n.src == SrcAccess::prefetch; }},
      {"prefetch of weights", [](const auto& n) { return n.weights == WeightsAccess::prefetch; }},
      {"stream", [](const auto& n) { return n.dst == CAccess::stream; }},
      {"prefetch of dst", [](const auto& n) { return n.dst == CAccess::prefetch; }},
      {"order", [](const auto& n) { return n.loops == parse_loop_schedule("{kb n} oi oj cb:4"); }},
      {"images cut", [](const auto& n) { return cut(n, "n"); }},
      {"features cut", [](const auto& n) { return cut(n, "kb"); }},
      {"reduction cut", [](const auto& n) { return n.loops == parse_loop_schedule("{n kb} cb:2 oi oj"); }},
      {"parallel", [](const auto& n) { return n.loops == parse_loop_schedule("{n} kb oi oj cb:4"); }},
  };
  for (const auto& [what, holds] : choices) EXPECT_TRUE(std::ranges::any_of(beside, holds)) << what;
  EXPECT_TRUE(std::ranges::none_of(beside, [](const auto& n) { return n.taps != Taps::batch; })) << "there is one tap";
  const auto padded = parse_problem<ConvProblem>("N28 C256 K512 H28 R3 ph1");
  const auto rows = parse_conv_plan("bc=64 bk=64 bq=28 loops={n kb} oj oi cb:4");
  EXPECT_TRUE(std::ranges::count(conv_plan_neighbours(padded, rows), Taps::k, &ConvPlan::taps) > 0);
}

// A search that has time for a few neighbours only still tries each kind of choice.
TEST(ConvPlanNeighbours, BeginWithSomeOfEachKind) {
  const auto p = parse_problem<ConvProblem>("N28 C256 K512 H28");
  const auto plan = parse_conv_plan("bc=64 bk=64 bq=196 flat loops={n kb} oj oi cb:4");
  const auto all = conv_plan_neighbours(p, plan);
  const std::vector<ConvPlan> first(all.begin(), all.begin() + 12);
  EXPECT_TRUE(std::ranges::any_of(first, [&](const auto& n) { return n.bc != plan.bc; }));
  EXPECT_TRUE(std::ranges::any_of(first, [&](const auto& n) { return n.bk != plan.bk; }));
  EXPECT_TRUE(std::ranges::any_of(first, [&](const auto& n) { return n.flat() && n.bq != plan.bq; }));
  EXPECT_TRUE(std::ranges::any_of(first, [&](const auto& n) { return !n.flat(); }));
  EXPECT_TRUE(std::ranges::any_of(first, [&](const auto& n) { return n.src == SrcAccess::prefetch; }));
}

}  // namespace
}  // namespace brickwork
