// The hints that the driver gives its brick must be true for every call, whether or not this machine's brick uses them.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>

#include "primitives/conv/testing/conv_forward_check.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

struct HintTally {
  std::atomic<std::int64_t> zero_rows = 0;  // rows of A that the hint names
  std::atomic<std::int64_t> wrong = 0;      // named rows that are not zeros, and rows of zeros that are not named
};

// Takes the place of a brick and compares A with the hint.
struct HintChecker {
  BrgemmShape shape;
  ZeroRows hint;
  HintTally* tally;

  std::int64_t scratch_bytes() const { return 0; }

  template <class Team>
  void operator()(const Team&, int, const BrgemmCall& call, void*) const {
    if (call.rows != shape.m || hint.period == 0) return;  // the hint says nothing about such calls
    for (std::int64_t i = 0; i < call.batch.size; ++i) {
      for (int row = 0; row < shape.m; ++row) {
        const float* const a = call.batch.a<float>(i) + row * shape.lda;
        const bool zero = std::all_of(a, a + shape.k, [](float x) { return x == 0; });
        const bool named = hint.zero(row, static_cast<int>(i % hint.period));
        if (named) ++tally->zero_rows;
        if (named != zero) ++tally->wrong;
      }
    }
  }
};

// Runs the loops on inputs of ones, so that a row of A is zeros only if all of it is padding.
void look(const ConvProblem& p, const ConvForwardBlocking& blocking, const BrgemmHints& hints, HintTally& tally) {
  PlainTensors ones(ConvForwardOp::inputs(p));
  for (std::size_t i = 0; i < ones.infos().size(); ++i) std::ranges::fill(ones.values<float>(i), 1.0f);
  BlockedConvForward tensors(blocking.src_layout(), blocking.weights_layout(), blocking.dst_layout(), ones);
  const auto data = blocking.data(tensors.src.data(), tensors.weights.data(), tensors.bias.data(),
                                  tensors.residual.data(), tensors.dst.data());
  const HintChecker checker{blocking.brick_shape(0), hints.zero_rows, &tally};
  const ConvForwardBody<HintChecker> body{blocking.geometry(), data, checker};
  blocking.nest().run(Kokkos::DefaultHostExecutionSpace(), body, {.scratch_bytes = body.scratch_bytes()});
}

void expect_true(const ConvProblem& p, const ConvPlan& plan, std::int64_t& zero_rows) {
  const auto blocking = ConvForwardBlocking::make(p, plan);
  ASSERT_TRUE(blocking) << blocking.reason();
  HintTally tally;
  look(p, *blocking, blocking->brick_hints(), tally);
  EXPECT_EQ(tally.wrong, 0) << to_string(p) << "  " << to_string(plan) << "  " << to_string(blocking->brick_hints());
  zero_rows += tally.zero_rows;
}

TEST(ConvForwardHints, AreTrueForRandomProblems) {
  std::int64_t zero_rows = 0;
  EXPECT_TRUE(rc::check([&] {
    const ConvProblem other = random_conv_problem();
    for (const ConvPlan& plan :
         {plan_conv_forward(other, {.threads = 2, .l2_bytes = 1 << 12}), random_conv_plan(other)}) {
      expect_true(other, plan, zero_rows);
      expect_true(moved_to_block_boundaries(other, plan), plan, zero_rows);
    }
  }));
  EXPECT_GT(zero_rows, 0);
}

// The hint names the padding if a call spans a row, and nothing otherwise.
TEST(ConvForwardHints, NameThePaddingOfWholeRowsOnly) {
  for (const char* text : {"N1 C64 K64 H3 W300 R3 ph1", "N2 C16 K8 H2 W58 R3 sh1 sw2 ph1", "N1 C20 K8 H2 W9 R2 S5 pw3",
                           "N1 C3 K8 H20 R7 sh2 ph3"}) {
    const auto p = parse_problem<ConvProblem>(text);
    ConvPlan plan{.bc = p.C, .bk = p.K, .bq = p.Q(), .loops = parse_loop_schedule("n kb oj oi cb")};
    const auto named = [&] {
      std::int64_t zero_rows = 0;
      expect_true(p, plan, zero_rows);
      return zero_rows;
    };
    EXPECT_GT(named(), 0) << text;
    plan.bq = p.Q() - 1;
    EXPECT_EQ(named(), 0) << text;
    plan = {.bc = p.C, .bk = p.K, .bq = p.Q(), .taps = Taps::k, .loops = plan.loops};
    EXPECT_EQ(named(), 0) << text;
  }
}

// Takes the place of a brick and notes each call's weights and what it prefetches.
struct AskedFor {
  const char *weights, *begin, *end;
};
struct AskChecker {
  static constexpr bool kReadsNext = true;
  std::vector<AskedFor>* calls;

  template <class Team>
  void operator()(const Team&, int, const BrgemmCall& call, void*) const {
    const auto* const next = static_cast<const char*>(call.read_next.first);
    calls->push_back({reinterpret_cast<const char*>(call.batch.b<float>(0)), next, next + call.read_next.bytes});
  }
};

// Bytes by which the consecutive prefetches of calls differ from the block of weights that is multiplied next.
template <class Change>
std::int64_t asked_wrongly(const ConvProblem& p, const ConvPlan& plan, const Change& change) {
  const auto blocking = ConvForwardBlocking::make(p, plan);
  if (!blocking) throw std::logic_error(blocking.reason());
  PlainTensors zeros(ConvForwardOp::inputs(p));
  BlockedConvForward tensors(blocking->src_layout(), blocking->weights_layout(), blocking->dst_layout(), zeros);
  const auto data = blocking->data(tensors.src.data(), tensors.weights.data(), tensors.bias.data(),
                                   tensors.residual.data(), tensors.dst.data());
  ConvForwardGeometry g = blocking->geometry();
  change(g);
  std::vector<AskedFor> calls;
  blocking->nest().run(Kokkos::DefaultHostExecutionSpace(), ConvForwardBody<AskChecker>{g, data, {&calls}}, {});
  const std::int64_t bytes = blocking->nest().step_of(kCb) * g.weights_cb * static_cast<std::int64_t>(sizeof(float));
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < calls.size();) {
    const char* expected = nullptr;  // where the next of these calls has to continue
    std::size_t end = i;
    for (; end < calls.size() && calls[end].weights == calls[i].weights; ++end) {
      if (expected != nullptr) wrong += std::abs(calls[end].begin - expected);
      expected = calls[end].end;
    }
    if (end < calls.size() && calls[end].weights > calls[i].weights) {  // otherwise the weights begin again
      wrong += std::abs(calls[i].begin - calls[end].weights) + std::abs(expected - (calls[end].weights + bytes));
    }
    i = end;
  }
  return wrong;
}

TEST(ConvForwardHints, CallsPrefetchTheWeightsThatComeNext) {
  const auto p = parse_problem<ConvProblem>("N4 C64 K96 H8");
  const auto nothing = [](ConvForwardGeometry&) {};
  for (const char* text :
       {"bq=64 flat loops=n kb cb oj oi", "bq=16 flat loops=n kb cb oj oi", "bq=3 rows loops=kb cb n oj oi",
        "bq=16 flat loops=n:2 kb cb:2 n oj oi", "bq=64 flat loops=n oj oi kb cb", "bq=16 flat loops=n kb oi oj cb:4",
        "bq=16 flat loops=n cb kb oj oi"}) {
    const auto plan = parse_conv_plan(std::string("bc=16 bk=32 weights=prefetch ") + text);
    EXPECT_EQ(asked_wrongly(p, plan, nothing), 0) << text;
    EXPECT_GT(asked_wrongly(p, plan, [](ConvForwardGeometry& g) { ++g.asking.iterations[2], ++g.asking.count; }), 0)
        << text;
    EXPECT_GT(asked_wrongly(p, plan, [](ConvForwardGeometry& g) { g.next_weights += 16; }), 0) << text;
  }
  ConvPlan quiet = parse_conv_plan("bc=16 bk=32 bq=64 flat loops=n kb cb oj oi");
  EXPECT_FALSE(ConvForwardBlocking::make(p, quiet)->brick_hints().reads_next);
  quiet.weights = WeightsAccess::prefetch;
  EXPECT_TRUE(ConvForwardBlocking::make(p, quiet)->brick_hints().reads_next);
}

TEST(ConvForwardHints, TheCheckFindsAFalseHint) {
  const auto p = parse_problem<ConvProblem>("N1 C64 K64 H3 W300 R3 ph1");
  const ConvPlan whole{.bc = 64, .bk = 64, .bq = 300, .loops = parse_loop_schedule("n kb oj oi cb")};
  const BrgemmHints hints = ConvForwardBlocking::make(p, whole)->brick_hints();
  const auto wrong_rows = [&](std::int64_t bq, BrgemmHints given) {
    ConvPlan plan = whole;
    plan.bq = bq;
    HintTally tally;
    look(p, *ConvForwardBlocking::make(p, plan), given, tally);
    return tally.wrong.load();
  };
  EXPECT_EQ(wrong_rows(300, hints), 0);
  EXPECT_GT(wrong_rows(100, hints), 0);
  for (std::int64_t ZeroRows::*end : {&ZeroRows::begin, &ZeroRows::end}) {
    for (const int by : {-1, 1}) {
      BrgemmHints other = hints;
      other.zero_rows.*end += by;
      EXPECT_GT(wrong_rows(300, other), 0);
    }
  }
}

}  // namespace
}  // namespace brickwork
