#include "primitives/conv/conv_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"
#include "primitives/conv/update/conv_update_blocking.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"

namespace brickwork {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ConvPlan, TextRoundTrips) {
  const ConvPlan plan{64,
                      32,
                      28,
                      Pixels::flat,
                      Taps::k,
                      SrcAccess::prefetch,
                      WeightsAccess::prefetch,
                      CAccess::stream,
                      parse_loop_schedule("{n kb} cb:4 oj oi")};
  EXPECT_EQ(to_string(plan),
            "bc=64 bk=32 bq=28 flat taps=k src=prefetch weights=prefetch dst=stream loops={n kb} cb:4 oj oi");
  EXPECT_EQ(parse_conv_plan(to_string(plan)), plan);
  const ConvPlan defaults{.bc = 1, .bk = 2, .bq = 3, .loops = parse_loop_schedule("n kb cb oj oi")};
  EXPECT_EQ(to_string(defaults),
            "bc=1 bk=2 bq=3 rows taps=batch src=cached weights=cached dst=cached loops=n kb cb oj oi");
  EXPECT_EQ(parse_conv_plan("bq=3 bk=2 bc=1 loops=n kb cb oj oi"), defaults);
}

TEST(ConvPlan, ParserNamesTheOffendingWord) {
  const auto fails = [](const char* text, const char* what) {
    EXPECT_THAT([&] { parse_conv_plan(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what))) << text;
  };
  fails("bc=64 bk=x bq=28 loops=n kb cb oj oi", "'bk=x' is no size");
  fails("bc=64 bk=8x bq=28 loops=n kb cb oj oi", "'bk=8x' has no whole number after bk=");
  fails("bc=64 bk=0 bq=28 loops=n kb cb oj oi", "bk is 0: it must be from 1 to 2^40");
  fails("bc=64 bc=32 bk=1 bq=28 loops=n kb cb oj oi", "'bc=32' gives bc a second time after 'bc=64'");
  fails("bc=64 bk=64 loops=n kb cb oj oi", "lacks bq: add a word such as bq=64");
  fails("bc=64 bk=64 bq=28 taps=r loops=n kb cb oj oi", "or taps=batch or taps=k");
  fails("bc=64 bk=64 bq=28 rows flat loops=n kb cb oj oi", "'flat' gives rows a second time after 'rows'");
  fails("bc=64 bk=64 bq=28 rows", "lacks its loops");
  fails("bc=64 bk=64 bq=28 rows loops=n kb cb oj} oi", "'}' without '{'");
  fails("", "lacks its loops");
}

// Each condition alone.
TEST(ConvPlan, FlatNeedsOneTapNoStrideAndNoPadding) {
  EXPECT_TRUE(can_be_flat(parse_problem<ConvProblem>("N2 C3 K5 H7 W9 bias")));
  for (const char* more : {"R2 S1", "R1 S2", "sh2 sw1", "sh1 sw2", "ph1 pw0", "ph0 pw1"}) {
    const ConvProblem p = parse_problem<ConvProblem>(std::string("C3 K5 H7 ") + more);
    EXPECT_FALSE(can_be_flat(p)) << more;
    EXPECT_EQ(can_be_flat_copied(p), std::string(more).starts_with("sh")) << more;
  }
}

// For every problem and number of threads the plan is legal, and no thread is idle if there is enough work.
TEST(ConvPlanChoice, GivesLegalPlansThatKeepThreadsBusy) {
  for (const char* text : {"N1 C64 K64 H56 R3 ph1", "N1 C512 K512 H7 R3 ph1", "N3 C3 K64 H224 R7 sh2 ph3",
                           "N1 C1 K1 H1", "N2 C130 K67 H9 W5 R3 sh2", "N28 C2048 K512 H7", "N5 C7 K1000 H1",
                           "N14 C2048 K64 H7", "N16 C512 K40 H7 R3 ph1", "N28 C1024 K2048 H14 sh2"}) {
    const ConvProblem p = parse_problem<ConvProblem>(text);
    for (int threads : {1, 2, 3, 5, 7, 28, 128}) {
      const ConvPlan plan = plan_conv_forward(p, {.threads = threads});
      SCOPED_TRACE(to_string(plan));
      const auto blocking = ConvForwardBlocking::make(p, plan);
      ASSERT_TRUE(blocking) << blocking.reason();
      EXPECT_EQ(parse_conv_plan(to_string(plan)), plan);
      if (p.N * p.P() * p.Q() * p.K >= 64 * 64 * threads) {
        EXPECT_GE(blocking->nest().tasks(), threads == 1 ? 1 : 2);
      }
    }
  }
}

// With five blocks of 64 features and no other parallel loop, one of two threads has three blocks and the other two.
TEST(ConvPlanChoice, LoadsThreadsEvenly) {
  for (const char* text : {"N1 C784 K300 H1 W100", "N1 C784 K300 H1 W333", "N4 C768 K128 H17", "N1 C192 K192 H17"}) {
    const auto p = parse_problem<ConvProblem>(text);
    const MachineModel machine{.threads = 2};
    const auto forward = ConvForwardBlocking::make(p, plan_conv_forward(p, machine));
    const auto update = ConvUpdateBlocking::make(p, plan_conv_update(p, machine));
    EXPECT_LT(machine.imbalance(forward->nest().tasks()), 1.15) << text << "  " << to_string(forward->plan());
    EXPECT_LT(machine.imbalance(update->nest().tasks()), 1.15) << text << "  " << to_string(update->plan());
  }
}

// With calls of few pixels the whole layer waits for memory, so that prefetches gain nothing.
TEST(ConvPlanChoice, PrefetchesWeightsThatComeFromMemory) {
  const auto weights = [](const char* text) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2}).weights;
  };
  for (const char* far : {"N1 C4096 K4096 H1 W64", "N1 C4096 K4096 H1 W9", "N1 C4096 K4096 H1 W1344"}) {
    EXPECT_EQ(weights(far), WeightsAccess::prefetch) << far;
  }
  EXPECT_EQ(weights("N1 C4096 K4096 H1 W8"), WeightsAccess::cached);
  EXPECT_EQ(weights("N1 C512 K512 H1 W64"), WeightsAccess::cached);
}

// For src that is read once and from memory.
TEST(ConvPlanChoice, ReadsFarSrcAsTheProcessorLikesIt) {
  const auto plan = [](const char* text, FarSrc src) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .src = src});
  };
  for (const char* far : {"N28 C256 K128 H56 sh2", "N28 C512 K128 H28", "N28 C128 K512 H28"}) {
    EXPECT_GE(plan(far, FarSrc::runs).bc, 128) << far;
    EXPECT_EQ(plan(far, FarSrc::blocks).src, SrcAccess::prefetch) << far;
    EXPECT_LE(plan(far, FarSrc::blocks).bc, 64) << far;
    EXPECT_EQ(plan(far, FarSrc::lines).src, SrcAccess::prefetch) << far;
    EXPECT_LE(plan(far, FarSrc::lines).bc, 16) << far;
  }
  const char* const once = "N28 C256 K64 H56";  // only one block of output features
  EXPECT_EQ(plan(once, FarSrc::runs).bc, 32);
  EXPECT_EQ(plan(once, FarSrc::blocks).bc, 32);
  EXPECT_EQ(plan(once, FarSrc::lines).bc, 8);
  for (const char* near : {"N1 C256 K128 H14", "N28 C256 K256 H56 R3 ph1"}) {  // L3 holds src, or taps read it again
    EXPECT_EQ(plan(near, FarSrc::blocks).bc, plan(near, FarSrc::runs).bc) << near;
    EXPECT_EQ(plan(near, FarSrc::lines).bc, plan(near, FarSrc::runs).bc) << near;
  }
}

TEST(ConvPlanChoice, TakesTheGivenBlocks) {
  for (const char* text : {"C256 K512 H1 W100", "C3 K64 H32 R7 sh2 ph3", "C70 K80 H9 R3 ph1"}) {
    const auto p = parse_problem<ConvProblem>(text);
    const ConvPlan forward = plan_conv_forward(p, {.threads = 2}, Backend::simd, {.bc = 3, .bk = 40});
    EXPECT_EQ(std::pair(forward.bc, forward.bk), (std::pair<std::int64_t, std::int64_t>(3, 40)));
    EXPECT_TRUE(ConvForwardBlocking::make(p, forward));
    std::visit(
        [](const auto& backward) {
          EXPECT_EQ(std::pair(backward.bc, backward.bk), (std::pair<std::int64_t, std::int64_t>(40, 3)));
        },
        plan_conv_backward_data(p, {.threads = 2}, Backend::simd, {.bc = 40, .bk = 3}));
    const ConvUpdatePlan update = plan_conv_update(p, {.threads = 2}, {.bc = 3, .bk = 40});
    EXPECT_EQ(std::pair(update.bc, update.bk), (std::pair<std::int64_t, std::int64_t>(3, 40)));
    EXPECT_EQ(plan_conv_forward(p, {.threads = 2}, Backend::simd, {.bc = 0, .bk = 40}).bk, 40);
    const MachineModel likes_lines{.threads = 2, .src = FarSrc::lines};
    EXPECT_EQ(plan_conv_forward(parse_problem<ConvProblem>("N28 C256 K128 H56 sh2"), likes_lines, Backend::simd,
                                {.bc = 128, .bk = 64})
                  .bc,
              128);
  }
}

TEST(ConvPlanChoice, OfAFirstLayerIsAsNarrowAsTheProcessorLikesIt) {
  const auto first = parse_problem<ConvProblem>("N28 C3 K64 H224 R7 sh2 ph3");
  EXPECT_EQ(plan_conv_forward(first, {.threads = 2, .narrow = true}).bk, 16);
  EXPECT_GT(plan_conv_forward(first, {.threads = 2, .narrow = false}).bk, 16);
  EXPECT_EQ(plan_conv_forward(first, {.threads = 2}).taps, Taps::k);
}

// With pixels=many, for 1x1 kernels with stride 1.
TEST(ConvUpdatePlanChoice, SumsOverAsManyPixelsAsTheProcessorLikes) {
  const auto plan = [](const char* text, PixelsOfCall pixels) {
    return plan_conv_update(parse_problem<ConvProblem>(text), {.threads = 2, .pixels = pixels});
  };
  for (const char* text : {"N28 C64 K256 H56", "N28 C128 K512 H28"}) {
    EXPECT_TRUE(plan(text, PixelsOfCall::few).flat() && plan(text, PixelsOfCall::many).flat());
    EXPECT_THAT(plan(text, PixelsOfCall::few).bq, testing::AllOf(testing::Gt(0), testing::Le(200))) << text;
    EXPECT_THAT(plan(text, PixelsOfCall::many).bq, testing::AnyOf(0, testing::Ge(392))) << text;
  }
  for (const char* other : {"N28 C256 K128 H56 sh2", "N28 C64 K64 H56 R3 ph1"}) {
    EXPECT_EQ(plan(other, PixelsOfCall::many), plan(other, PixelsOfCall::few)) << other;
  }
}

// Images of 7 x 7 pixels.
TEST(ConvUpdatePlanChoice, SumsOverAsManyImagesAsTheProcessorLikes) {
  const auto plan = [](Reduction reduction) {
    return plan_conv_update(parse_problem<ConvProblem>("N28 C512 K2048 H7"), {.threads = 2, .reduction = reduction});
  };
  EXPECT_THAT(to_string(plan(Reduction::deep)), HasSubstr(" n:"));
  EXPECT_THAT(to_string(plan(Reduction::shallow)), testing::Not(HasSubstr(" n:")));
}

// With few registers, for 1x1 kernels with a stride.
TEST(ConvUpdatePlanChoice, GathersThePixelsOfAStride) {
  const auto plan = [](const char* text, bool gathers) {
    return to_string(plan_conv_update(parse_problem<ConvProblem>(text), {.threads = 2, .few_registers = gathers}));
  };
  for (const char* text : {"N28 C1024 K2048 H14 sh2", "N28 C256 K128 H56 sh2"}) {
    EXPECT_THAT(plan(text, true), HasSubstr(" flat taps=loop src=gathered ")) << text;
    EXPECT_THAT(plan(text, false), HasSubstr(" rows taps=loop src=cached ")) << text;
  }
  for (const char* other : {"N28 C128 K512 H28", "N28 C64 K128 H28 R3 sh2 ph1"}) {
    EXPECT_THAT(plan(other, true), HasSubstr(" src=cached ")) << other;
  }
}
// If a task might not be able to keep the gathered pixels, src is not gathered, even if L2 is large.
TEST(ConvUpdatePlanChoice, GathersNoMoreThanATaskCanKeep) {
  const auto p = parse_problem<ConvProblem>("N2 C8192 K128 H56 sh2");
  const ConvUpdatePlan plan = plan_conv_update(p, {.threads = 1, .l2_bytes = 64 << 20, .few_registers = true});
  EXPECT_FALSE(plan.gathers);
  EXPECT_TRUE(ConvUpdateBlocking::make(p, plan)) << to_string(plan);
}

// With few registers a fully connected layer's minibatch is cut into parts that L1 keeps.
TEST(ConvUpdatePlanChoice, CutsARowIntoAsManyPixelsAsL1Holds) {
  const auto p = parse_problem<ConvProblem>("N1 C2048 K2048 H1 W1344");
  EXPECT_EQ(plan_conv_update(p, {.threads = 2, .few_registers = true}).bq, 96);
}

TEST(ConvPlanChoice, TakesThePreferredBlocksOfTheMachine) {
  const auto bk = [](const char* text, std::int64_t block) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .few_registers = block == 32}).bk;
  };
  const auto bc_of_update = [](const char* text, std::int64_t block) {
    return plan_conv_update(parse_problem<ConvProblem>(text), {.threads = 2, .few_registers = block == 32}).bc;
  };
  for (const std::int64_t block : {32, 64}) {
    EXPECT_EQ(bk("N28 C256 K512 H28", block), block);
    EXPECT_EQ(bk("N28 C64 K64 H56 R3 ph1", block), block);
    EXPECT_EQ(bc_of_update("N28 C256 K512 H28", block), block);
  }
}

// far=stream applies only to a dst that is written once and has rows of several lines.
TEST(ConvPlanChoice, AccessesDstAsItsTrafficAsks) {
  const auto dst = [](const char* text, CAccess far = CAccess::prefetch) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .far = far}).dst;
  };
  EXPECT_EQ(dst("N1 C64 K64 H14"), CAccess::cached);
  for (const char* epilogue : {"", " bias+residual+relu"}) {
    const std::string wide = std::string("N28 C64 K256 H56") + epilogue;
    EXPECT_EQ(dst(wide.c_str()), CAccess::prefetch);
    EXPECT_EQ(dst(wide.c_str(), CAccess::stream), CAccess::stream);
  }
  EXPECT_EQ(dst("N28 C64 K64 H56 R3 ph1"), CAccess::stream);                         // many multiply-adds an output
  EXPECT_EQ(dst("N28 C3 K64 H224 R3 ph1"), CAccess::stream);                         // few
  EXPECT_EQ(dst("N28 C3 K64 H224 R7 sh2 ph3", CAccess::stream), CAccess::prefetch);  // rows of one line
  const auto dsrc = [](const char* text) {
    return std::get<ConvPlan>(plan_conv_backward_data(parse_problem<ConvProblem>(text), {.threads = 2})).dst;
  };
  EXPECT_EQ(dsrc("N28 C512 K256 H28 sh2 sw2"), CAccess::stream);  // zeros between its pixels
}

}  // namespace
}  // namespace brickwork
