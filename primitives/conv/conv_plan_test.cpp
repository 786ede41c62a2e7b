#include "conv/conv_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ConvPlan, TextRoundTrip) {
  const ConvPlan plan{64, 32, 28, true, true, true, true, parse_loop_schedule("{n kb} cb:4 oj oi")};
  EXPECT_EQ(to_string(plan), "bc=64 bk=32 bq=28 flat taps=k src=prefetch dst=stream loops={n kb} cb:4 oj oi");
  EXPECT_EQ(parse_conv_plan(to_string(plan)), plan);
}

TEST(ConvPlan, ParserNamesTheOffendingWord) {
  const auto fails = [](const char* text, const char* what) {
    EXPECT_THAT([&] { parse_conv_plan(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what))) << text;
  };
  fails("bc=64 bk=x bq=28 rows taps=batch src=cached dst=cached loops=n kb cb oj oi", "expected bk=SIZE, found 'bk=x'");
  fails("bc=64 bk=0 bq=28 rows taps=batch src=cached dst=cached loops=n kb cb oj oi", "expected bk=SIZE, found 'bk=0'");
  fails("bc=64 bc=32 bk=1 bq=28 rows taps=batch src=cached dst=cached loops=n kb cb oj oi", "found 'bc=32'");
  fails("bc=64 bk=64 bq=28 taps=batch src=cached dst=cached loops=n kb cb oj oi", "expected rows or flat");
  fails("bc=64 bk=64 bq=28 rows taps=r src=cached dst=cached loops=n kb cb oj oi", "expected taps=batch or taps=k");
  fails("bc=64 bk=64 bq=28 rows taps=batch src=cached dst=cached", "expected loops=, found its end");
  fails("bc=64 bk=64 bq=28 rows taps=batch src=cached dst=cached loops=n kb cb oj} oi", "'}' without '{'");
  fails("", "expected bc=SIZE, found its end");
}

TEST(ConvPlan, RefusesBlockingThatDoesNotFit) {
  const ConvProblem p = parse_conv_problem("C8 K8 H6 R3 ph1");
  const auto fails = [&](const char* text, const char* what) {
    EXPECT_THAT([&] { conv_loops(p, parse_conv_plan(text)); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what)))
        << text;
  };
  fails("bc=9 bk=8 bq=6 rows taps=batch src=cached dst=cached loops=n kb cb oj oi", "bc must be from 1 to C = 8");
  fails("bc=8 bk=9 bq=6 rows taps=batch src=cached dst=cached loops=n kb cb oj oi", "bk must be from 1 to K = 8");
  fails("bc=8 bk=8 bq=7 rows taps=batch src=cached dst=cached loops=n kb cb oj oi", "bq must be from 1 to Q = 6");
  fails("bc=8 bk=8 bq=6 flat taps=k src=cached dst=stream loops=n kb cb oj oi", "flat needs a 1x1 kernel");
}

// Whatever the problem and the machine, the rule's plan is legal and leaves no thread idle that the problem has work
// for.
TEST(ConvPlanRule, IsLegalAndBusy) {
  for (const char* text : {"N1 C64 K64 H56 R3 ph1", "N1 C512 K512 H7 R3 ph1", "N3 C3 K64 H224 R7 sh2 ph3",
                           "N1 C1 K1 H1", "N2 C130 K67 H9 W5 R3 sh2", "N28 C2048 K512 H7", "N5 C7 K1000 H1",
                           "N14 C2048 K64 H7", "N16 C512 K40 H7 R3 ph1", "N28 C1024 K2048 H14 sh2"}) {
    const ConvProblem p = parse_conv_problem(text);
    for (int threads : {1, 2, 3, 5, 7, 28, 128}) {
      const ConvPlan plan = plan_conv_forward(p, {.threads = threads});
      SCOPED_TRACE(to_string(plan));
      EXPECT_NO_THROW(LoopNest(conv_loops(p, plan), plan.loops));
      EXPECT_EQ(parse_conv_plan(to_string(plan)), plan);
      if (p.N * p.P() * p.Q() * p.K >= 64 * 64 * threads) {
        std::int64_t tasks = 1;
        for (const Loop& loop : conv_loops(p, plan)) {
          for (const auto& level : plan.loops.levels) {
            if (level.parallel && level.name == loop.name) tasks *= (loop.extent + level.step - 1) / level.step;
          }
        }
        EXPECT_GE(tasks, threads == 1 ? 1 : 2);
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
