// Tests that the random convolutions meet the cases for which other tests draw them.
#include "primitives/conv/testing/random_conv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>

#include "primitives/conv/forward/conv_forward_blocking.hpp"

namespace brickwork {
namespace {

using testing::Contains;
using testing::Key;

using Met = std::map<std::string, int>;  // how often each case was drawn

// Enough draws that a case of probability 1 % is never missed. RC_PARAMS may ask for fewer.
constexpr int kEnough = 3000;

// Notes how full the last block is. Only blocks of three or more distinguish all four cases.
void note_last_block(const std::string& name, std::int64_t size, std::int64_t block, Met& met) {
  if (block < 3) return;
  const std::int64_t rest = size % block;
  ++met[name + (rest == 0 ? " full" : rest == 1 ? " one alone" : rest == block - 1 ? " one less" : " other")];
}

void note(const ConvProblem& p, const ConvPlan& plan, Met& met) {
  const std::int64_t cols = pixel_grid(p, plan.pixels).cols;
  note_last_block("bc", p.C, plan.bc, met);
  note_last_block("bk", p.K, plan.bk, met);
  note_last_block(plan.flat() ? "flat bq" : "bq", cols, plan.bq, met);
  // Calls of less than a row, in tiles four AVX-512 vectors wide: these tiles leave out rows of zeros.
  const bool full_tile =
      plan.bk > 48 && plan.bk <= 64 && plan.bq >= 7 && cols >= 2 * plan.bq && plan.taps == Taps::batch;
  if (full_tile && p.pad_w > 0 && p.S > 1) ++met["cut rows under padding"];
  if (full_tile && p.pad_w > 0 && p.S > 1 && p.stride_w > 1) ++met["cut rows under padding and a stride"];
  if (p.pad_h != p.pad_w) ++met["unequal padding"];
  if (p.stride_w > 1 && (p.W + 2 * p.pad_w - p.S) % p.stride_w != 0) ++met["columns left over"];
  if (plan.taps == Taps::k && p.pad_w > 0) ++met["taps in k under padding"];
}

// Draws problems and moves each to the block boundaries of the plan that plan_of makes for it.
template <class PlanOf>
Met drawn(PlanOf plan_of) {
  Met met;
  const bool legal = rc::check([&] {
    for (int i = 0; i < 30; ++i) {
      const ConvProblem other = random_conv_problem();
      const ConvPlan plan = plan_of(other);
      const ConvProblem p = moved_to_block_boundaries(other, plan);
      p.validate();
      RC_ASSERT(ConvForwardBlocking::make(p, plan));
      RC_ASSERT(p.least_flops() > 0 || p.epilogue.bias);
      RC_ASSERT(p.least_flops() < 3e8);  // keeps tests short; about one in ten thousand is above 1e8
      note(p, plan, met);
      ++met["problems"];
    }
  });
  EXPECT_TRUE(legal);
  return met;
}

void expect_met(const Met& met) {
  if (met.at("problems") < kEnough) GTEST_SKIP() << "too few problems are drawn to meet every case";
  for (const char* what :
       {"bc full", "bc one alone", "bc one less", "bk full", "bk one alone", "bk one less", "bq full", "bq one alone",
        "bq one less", "flat bq full", "flat bq one alone", "flat bq one less", "cut rows under padding",
        "cut rows under padding and a stride", "unequal padding", "columns left over", "taps in k under padding"}) {
    EXPECT_THAT(met, Contains(Key(what)));
  }
}

TEST(RandomConv, MeetsEveryBlockBoundaryOfTheDefaultPlan) {
  expect_met(drawn([](const ConvProblem& p) {
    return plan_conv_forward(p, {.threads = 2, .l2_bytes = *rc::gen::element(1 << 12, 1 << 16, 1 << 20)});
  }));
}

TEST(RandomConv, MeetsEveryBlockBoundaryOfAnyPlan) {
  expect_met(drawn([](const ConvProblem& p) { return random_conv_plan(p); }));
}

}  // namespace
}  // namespace brickwork
