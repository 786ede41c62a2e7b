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
TEST(ConvPlanRule, GivesLegalPlansThatKeepThreadsBusy) {
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
TEST(ConvPlanRule, HalvesBlocksThatLoadThreadsUnevenly) {
  const auto bk = [](const char* text, int threads) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = threads}).bk;
  };
  EXPECT_EQ(bk("N1 C784 K300 H1 W100", 2), 32);
  EXPECT_EQ(bk("N1 C784 K300 H1 W100", 1), 64);
  EXPECT_EQ(bk("N1 C784 K256 H1 W100", 2), 64);
  EXPECT_EQ(bk("N28 C784 K300 H10", 2), 64);
  const FeatureBlocks given{.bc = 784, .bk = 64};
  EXPECT_EQ(
      plan_conv_forward(parse_problem<ConvProblem>("N1 C784 K300 H1 W100"), {.threads = 2}, Backend::simd, given).bk,
      64);
}

// If threads share a row, its last block is not shorter.
TEST(ConvPlanRule, CutsARowThatThreadsShareIntoEqualBlocks) {
  const auto bq = [](const char* text) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2}).bq;
  };
  EXPECT_EQ(bq("N1 C784 K300 H1 W333"), 167);
  EXPECT_EQ(bq("N1 C784 K1024 H1 W333"), 252);
}

// A pixel is one run in memory, unless the weights of all its features would not stay in L2.
TEST(ConvPlanRule, TakesAllInputFeaturesInABlockThatL2Holds) {
  const auto bc = [](const char* text) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .l2_bytes = 2 << 20}).bc;
  };
  EXPECT_EQ(bc("N28 C2048 K512 H7"), 2048);
  EXPECT_EQ(bc("N28 C256 K256 H28 R3 ph1"), 256);
  EXPECT_EQ(bc("N28 C512 K512 H7 R3 ph1"), 256);
  EXPECT_EQ(bc("N28 C512 K512 H7 R15 S15 ph7"), 64);
  const auto at_once = [](const char* text) {
    const ConvPlan plan = plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .l2_bytes = 1 << 20});
    return to_string(plan.loops) == "{n} kb oj oi cb";
  };
  EXPECT_TRUE(at_once("N28 C2048 K512 H7"));  // weights fill half of L2
  EXPECT_FALSE(at_once("N28 C2112 K512 H7"));
}

TEST(ConvPlanRule, KeepsInputFeaturesTogetherIfOneTileHasAllPixels) {
  const auto features_of_block = [](const char* text) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2}).bc;
  };
  EXPECT_EQ(features_of_block("N1 C4096 K64 H1"), 4096);
  EXPECT_EQ(features_of_block("N1 C4096 K64 H2 W3"), 4096);
  EXPECT_LT(features_of_block("N1 C4096 K128 H1 W7"), 4096);
}

// A call's weights stay in L2 while its tiles pass over them.
TEST(ConvPlanRule, CutsInputFeaturesWhoseWeightsSeveralTilesRead) {
  const ConvPlan plan = plan_conv_forward(parse_problem<ConvProblem>("N1 C4096 K4096 H1 W16"), {.threads = 2});
  EXPECT_EQ(to_string(plan.loops), "{n oj oi kb} cb");
  EXPECT_LE(4 * plan.bc * plan.bk, MachineModel{}.l2_bytes / 2);
}

// With few images the whole layer waits for memory, so it has no prefetches.
TEST(ConvPlanRule, PrefetchesWeightsThatComeFromMemory) {
  const auto weights = [](const char* text, std::int64_t l3_bytes = 32 << 20) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .l3_bytes = l3_bytes}).weights;
  };
  for (const char* far : {"N1 C4096 K4096 H1 W64", "N1 C4096 K4096 H1 W9", "N1 C4096 K4096 H1 W1344"}) {
    EXPECT_EQ(weights(far), WeightsAccess::prefetch) << far;
  }
  EXPECT_EQ(weights("N1 C4096 K4096 H1 W8"), WeightsAccess::cached);
  EXPECT_EQ(weights("N1 C2048 K2048 H1 W64"), WeightsAccess::cached);
  EXPECT_EQ(weights("N1 C2048 K2048 H1 W64", 16 << 20), WeightsAccess::prefetch);
  EXPECT_EQ(weights("N1 C4096 K4096 H1 W64", 1 << 30), WeightsAccess::prefetch) << "an L3 that many cores share";
}

// With src=blocks or src=lines, for src that is read once and from memory.
TEST(ConvPlanRule, ReadsFarSrcBlockByBlock) {
  const auto plan = [](const char* text, FarSrc src) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .src = src});
  };
  for (const char* far : {"N28 C256 K128 H56 sh2", "N28 C512 K128 H28", "N28 C128 K512 H28",
                          "N4 C128 K512 H28"}) {  // dst of the last one leaves src no room in L3
    EXPECT_EQ(plan(far, FarSrc::runs).src, SrcAccess::cached) << far;
    EXPECT_EQ(plan(far, FarSrc::blocks).src, SrcAccess::prefetch) << far;
    EXPECT_EQ(plan(far, FarSrc::blocks).bc, 64) << far;
    EXPECT_EQ(plan(far, FarSrc::lines).src, SrcAccess::prefetch) << far;
    EXPECT_EQ(plan(far, FarSrc::lines).bc, 16) << far;
  }
  EXPECT_EQ(plan("N28 C128 K128 H28 R3 ph1", FarSrc::blocks).bc, 128);  // taps read a pixel several times
  for (const char* once : {"N28 C256 K64 H56", "N1 C256 K64 H56"}) {    // only one block of output features
    EXPECT_EQ(plan(once, FarSrc::runs).bc, 32);
    EXPECT_EQ(plan(once, FarSrc::blocks).bc, 32);
    EXPECT_EQ(plan(once, FarSrc::lines).bc, 8);
  }
  for (const char* near : {"N2 C256 K128 H28 sh2",      // L3 holds src
                           "N1 C128 K512 H28",          // L3 holds src, with pixels outside
                           "N28 C256 K1024 H14",        // L2 holds an image while its features pass
                           "N28 C256 K256 H56 R3 ph1"}  // taps read a pixel several times
  ) {
    EXPECT_EQ(plan(near, FarSrc::blocks), plan(near, FarSrc::runs)) << near;
    EXPECT_EQ(plan(near, FarSrc::lines), plan(near, FarSrc::runs)) << near;
  }
}

// With src=runs the hardware prefetches runs by itself.
TEST(ConvPlanRule, PrefetchesShortRunsOfFarSrc) {
  const auto src = [](const char* text, FarSrc far) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2, .l2_bytes = 1 << 20, .src = far}).src;
  };
  for (const char* is_short : {"N28 C64 K256 H56", "N28 C64 K64 H56 R3 ph1", "N28 C128 K128 H28 R3 ph1"}) {
    EXPECT_EQ(src(is_short, FarSrc::blocks), SrcAccess::prefetch) << is_short;
    EXPECT_EQ(src(is_short, FarSrc::lines), SrcAccess::prefetch) << is_short;
    EXPECT_EQ(src(is_short, FarSrc::runs), SrcAccess::cached) << is_short;
  }
  for (const char* other : {"N28 C256 K1024 H14",           // runs of 1 KiB
                            "N1 C64 K256 H56",              // src in L3
                            "N28 C3 K64 H224 R7 sh2 ph3"})  // rows overlap
    EXPECT_EQ(src(other, FarSrc::blocks), SrcAccess::cached) << other;
}

// The weights stay in L1 while the pixels of a thread's image pass, which stay in L2.
TEST(ConvPlanRule, KeepsTheWeightsOfABlockOfFeaturesInL1) {
  const auto loops = [](const char* text) {
    const MachineModel machine{.threads = 2, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20, .src = FarSrc::blocks};
    return to_string(plan_conv_forward(parse_problem<ConvProblem>(text), machine).loops);
  };
  EXPECT_EQ(loops("N28 C64 K256 H56"), "{n} kb oj oi cb");
  EXPECT_EQ(loops("N28 C64 K256 H56 sh2"), "{n} kb oj oi cb");
  EXPECT_EQ(loops("N28 C128 K256 H56 sh2"), "{n} kb oj oi cb:2");
  EXPECT_EQ(loops("N1 C64 K256 H56"), "{n oj oi} kb cb");
  EXPECT_EQ(loops("N28 C128 K256 H56"), "{n} oj oi kb cb:2");  // 1.6 MB of src do not stay in L2
  EXPECT_EQ(loops("N28 C256 K256 H28"), "{n} oj oi kb cb:4");  // 64 KiB of weights do not stay in L1
}

TEST(ConvPlanRule, TakesTheGivenBlocks) {
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

TEST(ConvPlanRule, KeepsPixelsInL1IfBlocksAreOneVector) {
  const auto p = parse_problem<ConvProblem>("N28 C256 K256 H14 R3 ph1");
  const ConvPlan plan = plan_conv_forward(p, {.threads = 2, .l1_bytes = 48 << 10});
  EXPECT_EQ(plan.bk, 16);
  EXPECT_EQ(plan.bc, 128);  // 3 rows of 16 pixels fill 24 KiB
  EXPECT_EQ(plan_conv_forward(p, {.threads = 2, .l1_bytes = 16 << 10}).bc, 52);
}

// With a large filter a first layer is bound by FMAs, with a small one by storing a large dst.
TEST(ConvPlanRule, StoresWideRowsIfAnOutputTakesFewFmas) {
  const auto bk = [](const char* text) {
    return plan_conv_forward(parse_problem<ConvProblem>(text), {.threads = 2}).bk;
  };
  EXPECT_EQ(bk("N28 C3 K64 H224 R7 sh2 ph3"), 16);
  EXPECT_EQ(bk("N28 C3 K64 H224 R3 ph1"), 64);
  EXPECT_EQ(bk("N28 C3 K32 H224 R3 ph1"), 32);
  EXPECT_EQ(bk("N1 C3 K32 H32 R3 ph1"), 16);  // a small dst stays in L3
  const auto first = parse_problem<ConvProblem>("N28 C3 K64 H224 R7 sh2 ph3");
  EXPECT_EQ(plan_conv_forward(first, {.threads = 2, .narrow = false}).bk, 64);
}

// With pixels=many, for 1x1 kernels with stride 1.
TEST(ConvUpdatePlanRule, SumsOverManyPixelsOfAnImage) {
  const auto plan = [](const char* text, PixelsOfCall pixels) {
    return to_string(plan_conv_update(parse_problem<ConvProblem>(text), {.threads = 2, .pixels = pixels}));
  };
  EXPECT_THAT(plan("N28 C64 K256 H56", PixelsOfCall::few), HasSubstr(" bq=196 flat "));
  EXPECT_THAT(plan("N28 C64 K256 H56", PixelsOfCall::many), HasSubstr(" bq=784 flat "));
  EXPECT_THAT(plan("N28 C128 K512 H28", PixelsOfCall::few), HasSubstr(" bq=196 flat "));
  EXPECT_THAT(plan("N28 C128 K512 H28", PixelsOfCall::many), HasSubstr(" bq=0 flat "));
  const char* prime = "N28 C128 K512 H47";  // 47 is prime: only whole rows divide an image
  EXPECT_THAT(plan(prime, PixelsOfCall::few), AllOf(HasSubstr(" bq=0 rows "), HasSubstr(" oj:5 ")));
  EXPECT_THAT(plan(prime, PixelsOfCall::many), AllOf(HasSubstr(" bq=0 rows "), HasSubstr(" oj:16 ")));
  for (const char* other : {"N28 C256 K128 H56 sh2", "N28 C64 K64 H56 R3 ph1", "N28 C512 K2048 H7"}) {
    EXPECT_EQ(plan(other, PixelsOfCall::many), plan(other, PixelsOfCall::few)) << other;
  }
}

// In Inception's layers the number of blocks is not a power of two.
TEST(ConvUpdatePlanRule, GivesAllThreadsEqualNumbersOfBlocks) {
  const auto plan = [](const char* text) {
    return to_string(plan_conv_update(parse_problem<ConvProblem>(text), {.threads = 2}));
  };
  EXPECT_THAT(plan("N4 C768 K128 H17"), HasSubstr("loops={kb:2 cb:6} "));
  EXPECT_THAT(plan("N4 C1280 K384 H8"), HasSubstr("loops={kb:3 cb:5} "));
  EXPECT_THAT(plan("N1 C192 K192 H17"), HasSubstr("loops={kb cb:2} ")) << "5 and 4 of 9 blocks, not 6 and 3";
}

// With few registers, for 1x1 kernels with a stride.
TEST(ConvUpdatePlanRule, GathersThePixelsOfAStride) {
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
TEST(ConvUpdatePlanRule, GathersNoMoreThanATaskCanKeep) {
  const auto p = parse_problem<ConvProblem>("N2 C8192 K128 H56 sh2");
  const ConvUpdatePlan plan = plan_conv_update(p, {.threads = 1, .l2_bytes = 64 << 20, .few_registers = true});
  EXPECT_FALSE(plan.gathers);
  EXPECT_TRUE(ConvUpdateBlocking::make(p, plan)) << to_string(plan);
}

// A fully connected layer's minibatch is an image of one row. With few registers a call has fewer pixels, and the calls
// whose pixels L2 holds follow each other.
TEST(ConvUpdatePlanRule, CutsARowIntoAsManyPixelsAsL2Holds) {
  const auto plan = [](const char* text, std::int64_t l2, bool few, FeatureBlocks blocks = {.bc = 32, .bk = 32}) {
    const MachineModel machine{.threads = 2, .l2_bytes = l2, .l3_bytes = 64 << 20, .few_registers = few};
    return to_string(plan_conv_update(parse_problem<ConvProblem>(text), machine, blocks));
  };
  EXPECT_THAT(plan("N1 C2048 K2048 H1 W1344", 256 << 10, false), HasSubstr(" bq=672 "));
  EXPECT_THAT(plan("N1 C2048 K2048 H1 W1344", 256 << 10, true),
              AllOf(HasSubstr(" bq=96 "), HasSubstr(" oj:7 kb cb r s oj")));
  EXPECT_THAT(plan("N1 C2048 K2048 H1 W1344", 256 << 10, true, {.bc = 64, .bk = 32}),
              AllOf(HasSubstr(" bq=64 "), HasSubstr(" oj:7 kb cb r s oj")));
  EXPECT_THAT(plan("N1 C2048 K2048 H1 W1344", 1 << 20, false), HasSubstr(" bq=0 ")) << "L2 holds them all";
  EXPECT_THAT(plan("N1 C2048 K2048 H1 W1344", 1 << 20, true),
              AllOf(HasSubstr(" bq=96 "), HasSubstr(" oj:14 kb cb r s oj")));
  EXPECT_THAT(plan("N1 C2048 K2048 H1 W1361", 256 << 10, true), HasSubstr(" bq=0 ")) << "a prime number";
}

// Each block of output features reads the minibatch's src. If L3 cannot keep all of it, the row is cut into parts that
// L3 keeps.
TEST(ConvPlanRule, CutsARowIntoEqualPartsThatL3Keeps) {
  const auto loops = [](const char* text, std::int64_t l3, int threads = 2) {
    const MachineModel machine{.threads = threads, .l3_bytes = l3};
    return to_string(plan_conv_forward(parse_problem<ConvProblem>(text), machine).loops);
  };
  EXPECT_EQ(loops("N1 C2048 K2048 H1 W1344", 32 << 20), "{n oi:3} kb oj oi cb");
  EXPECT_EQ(loops("N1 C2048 K2048 H1 W1344", 32 << 20, 4), "{n oi:2 kb} oj oi cb") << "each thread has 4 MB";
  EXPECT_EQ(loops("N1 C2048 K2048 H1 W1344", 64 << 20), "{n kb} oj oi cb") << "it keeps 11 MB";
  EXPECT_EQ(loops("N1 C2048 K2048 H1 W1344", 4 << 20), "{n kb} oj oi cb") << "not even two blocks";
  EXPECT_EQ(loops("N1 C2048 K2048 H1 W1345", 32 << 20), "{n kb} oj oi cb") << "in no equal parts";
  EXPECT_EQ(loops("N28 C2048 K2048 H7", 32 << 20).find("oi:"), std::string::npos);
}

// If L3 does not keep src, a call has so few pixels that L2 keeps them for all blocks of a part.
TEST(ConvUpdatePlanRule, KeepsPixelsInL2IfL3DoesNot) {
  const auto plan = [](std::int64_t l3, std::int64_t block, std::int64_t l2 = 1 << 20) {
    const MachineModel machine{.threads = 2, .l2_bytes = l2, .l3_bytes = l3, .few_registers = block == 32};
    return to_string(plan_conv_update(parse_problem<ConvProblem>("N1 C2048 K2048 H1 W1344"), machine));
  };
  EXPECT_THAT(plan(32 << 20, 32), AllOf(HasSubstr(" bq=84 "), HasSubstr("loops={kb:8 cb:8} "), HasSubstr(" oj:4 ")));
  EXPECT_THAT(plan(32 << 20, 32, 512 << 10),
              AllOf(HasSubstr(" bq=84 "), HasSubstr("loops={kb:8 cb:4} "), HasSubstr(" oj:4 ")));
  EXPECT_THAT(plan(64 << 20, 32), AllOf(HasSubstr(" bq=96 "), HasSubstr("loops={kb:32 cb:64} "), HasSubstr(" oj:14 ")));
  EXPECT_THAT(plan(32 << 20, 64), AllOf(HasSubstr(" bq=0 "), HasSubstr("loops={kb:16 cb:32} ")))
      << "its multiply-adds hide what comes";
}

TEST(ConvPlanRule, TakesThePreferredBlocksOfTheMachine) {
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
TEST(ConvPlanRule, ChoosesHowDstIsAccessed) {
  const auto dst = [](const char* text, CAccess far = CAccess::prefetch) {
    const MachineModel machine{.threads = 2, .l2_bytes = 2 << 20, .l3_bytes = 256 << 20, .far = far};
    return plan_conv_forward(parse_problem<ConvProblem>(text), machine).dst;
  };
  EXPECT_EQ(dst("N2 C64 K64 H56"), CAccess::cached);     // 1.6 MB in two L2 of 2 MiB
  EXPECT_EQ(dst("N2 C64 K256 H56"), CAccess::prefetch);  // 6.4 MB
  EXPECT_EQ(dst("N2 C64 K256 H56", CAccess::stream), CAccess::prefetch);
  for (const char* epilogue : {"", " bias+residual+relu"}) {
    const std::string wide = std::string("N28 C64 K256 H56") + epilogue;  // 90 MB
    EXPECT_EQ(dst(wide.c_str()), CAccess::prefetch);
    EXPECT_EQ(dst(wide.c_str(), CAccess::stream), CAccess::stream);
  }
  EXPECT_EQ(dst("N28 C64 K64 H56 R3 ph1"), CAccess::stream);                         // many FMAs per output
  EXPECT_EQ(dst("N28 C3 K64 H224 R3 ph1"), CAccess::stream);                         // few FMAs per output
  EXPECT_EQ(dst("N28 C3 K64 H224 R7 sh2 ph3", CAccess::stream), CAccess::prefetch);  // rows of one line
  EXPECT_EQ(dst("N28 C2048 K64 H56 R3 ph1", CAccess::stream), CAccess::prefetch);    // read back by the next part
  const auto dsrc = [](const char* text) {
    const MachineModel machine{.threads = 2, .l2_bytes = 1 << 20, .l3_bytes = 32 << 20};
    return std::get<ConvPlan>(plan_conv_backward_data(parse_problem<ConvProblem>(text), machine)).dst;
  };
  EXPECT_EQ(dsrc("N28 C512 K256 H28 sh2 sw2"), CAccess::stream);  // zeros between its pixels
  EXPECT_EQ(dsrc("N28 C512 K256 H14"), CAccess::prefetch);
}

}  // namespace
}  // namespace brickwork
