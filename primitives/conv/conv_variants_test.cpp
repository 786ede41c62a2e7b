// Every variant is legal: random ones run and give the right answer. What the variants leave out is said in
// conv_variants.hpp.
#include "primitives/conv/conv_variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "kernels/portable/brgemm_portable.hpp"
#include "primitives/bricks/sums_of_columns.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/conv/backward/conv_backward_variants.hpp"
#include "primitives/conv/testing/conv_pass_check.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/conv/update/conv_update_variants.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

// Runs a pass of any plan with the portable brick.
struct OnThisHost {
  template <class Pass>
  void run(const Pass& pass) const {
    pass(Kokkos::DefaultHostExecutionSpace(), TeamBrick<float>{pass.shape, false}, 1);
  }
  void operator()(const ConvForwardBlocking& b, const std::vector<float>& src, const std::vector<float>& weights,
                  const std::vector<float>& bias, const std::vector<float>& residual, std::vector<float>& dst) const {
    run(b.pass(b.data(src.data(), weights.data(), bias.data(), residual.data(), dst.data())));
  }
  void operator()(const ConvBackwardBlocking& b, const std::vector<float>& ddst, const std::vector<float>& weights,
                  const std::vector<float>& residual, const std::vector<float>& at, std::vector<float>& dsrc) const {
    for (std::size_t i = 0; i < b.phases().size(); ++i) {
      run(b.pass(i, ddst.data(), weights.data(), residual.data(), at.data(), dsrc.data()));
    }
  }
  void operator()(const ConvUpdateBlocking& b, const std::vector<float>& src, const std::vector<float>& ddst,
                  std::vector<float>& dweights, std::vector<float>& dbias) const {
    const auto others = [&](std::size_t size) {
      return nans<float>((b.nest().copies() - 1) * static_cast<std::int64_t>(size));
    };
    std::vector<float> copies = others(dweights.size()), bias_copies = others(dbias.size());
    const float* const ones = nullptr;  // SumsOfColumns does not read them
    run(b.pass(b.data(src.data(), ddst.data(), dweights.data(), copies.data(), dbias.data(), bias_copies.data(),
                      Gradients::overwrite, ones)));
  }
};

MachineModel random_machine() {
  return {.threads = *rc::gen::inRange(1, 5),
          .l1_bytes = *rc::gen::element(1 << 10, 32 << 10),
          .l2_bytes = *rc::gen::element(1 << 12, 1 << 20),
          .l3_bytes = *rc::gen::element(1 << 14, 16 << 20),
          .few_registers = *rc::gen::arbitrary<bool>(),
          .src = *rc::gen::element(FarSrc::runs, FarSrc::blocks, FarSrc::lines)};
}

// Checks some variants of a random problem, drawn evenly.
template <class Plan, class Check>
void expect_right(const PlanVariants<Plan>& found, const Check& wrong) {
  constexpr int kDrawn = 5;
  RC_ASSERT(found.plans.size() == found.variants.size());
  if (found.plans.empty()) RC_DISCARD("the analysis has no variants");
  for (int i = 0; i < kDrawn; ++i) {
    const Plan& plan = found.plans[*rc::gen::inRange<std::size_t>(0, found.plans.size())];
    if (const std::string reason = wrong(plan); !reason.empty()) RC_FAIL(to_string(plan) + ": " + reason);
  }
}

TEST(ConvVariants, OfForwardAreRight) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_conv_problem();
    const TestData t = conv_forward_test_data(p);
    expect_right(conv_variants(forward_view(p), random_machine()),
                 [&](const ConvPlan& plan) { return wrong_forward<float, float>(p, plan, t, OnThisHost()); });
  }));
}

TEST(ConvVariants, OfBackwardAreRight) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_training_problem();
    const TestData t = make_checkable_test_data<ConvBackwardDataOp>(p, Fill::integers);
    expect_right(conv_backward_variants(p, random_machine()), [&](const ConvBackwardPlan& plan) {
      return wrong_backward<float, float>(p, std::get<ConvPlan>(plan), t, OnThisHost());
    });
  }));
}

TEST(ConvVariants, OfTheWeightUpdateAreRight) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_training_problem({.bias = true});
    const TestData t = make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers);
    expect_right(conv_update_variants(p, random_machine()),
                 [&](const ConvUpdatePlan& plan) { return wrong_update<float, float>(p, plan, t, OnThisHost()); });
  }));
}

// With a declaration of another problem a variant would not fit: the check must find that.
TEST(ConvVariants, TheCheckFindsAPlanOfAnotherProblem) {
  const auto p = parse_problem<ConvProblem>("N1 C16 K16 H4"), other = parse_problem<ConvProblem>("N1 C64 K16 H4");
  const TestData t = conv_forward_test_data(p);
  const auto found = conv_variants(forward_view(other), {});
  EXPECT_NE((wrong_forward<float, float>(p, found.plans.front(), t, OnThisHost())), "");
}

TEST(ConvVariants, AreThousandsForALayerAndAllDiffer) {
  const auto p = parse_problem<ConvProblem>("N4 C256 K256 H14 R3 ph1");
  const auto found = conv_variants(forward_view(p), {.threads = 2});
  EXPECT_GT(found.plans.size(), 1000U);
  std::set<std::string> texts;
  for (const ConvPlan& plan : found.plans) texts.insert(to_string(plan));
  EXPECT_EQ(texts.size(), found.plans.size());
}

TEST(ConvVariants, KeepTheBlocksOfOtherLayers) {
  const auto p = parse_problem<ConvProblem>("N4 C256 K256 H14");
  for (const ConvPlan& plan : conv_variants(forward_view(p), {}, Backend::simd, {.bc = 64, .bk = 32}).plans) {
    ASSERT_TRUE(plan.bc == 64 && plan.bk == 32) << to_string(plan);
  }
  for (const ConvUpdatePlan& plan : conv_update_variants(p, {}, {.bc = 64, .bk = 32}).plans) {
    ASSERT_TRUE(plan.bc == 64 && plan.bk == 32) << to_string(plan);
  }
}

// Nothing of a large layer stays in the caches, everything of a small one does.
TEST(ConvVariants, AccessTensorsAsTheAnalysisFindsThem) {
  const auto large = parse_problem<ConvProblem>("N28 C256 K64 H56"), small = parse_problem<ConvProblem>("C64 K64 H7");
  for (const ConvPlan& plan : conv_variants(forward_view(large), {.src = FarSrc::lines}).plans) {
    ASSERT_EQ(plan.src, SrcAccess::prefetch) << to_string(plan);
    ASSERT_NE(plan.dst, CAccess::cached) << to_string(plan);
  }
  for (const ConvPlan& plan : conv_variants(forward_view(small), {}).plans) {
    ASSERT_EQ(plan.src, SrcAccess::cached) << to_string(plan);
    ASSERT_EQ(plan.dst, CAccess::cached) << to_string(plan);
  }
}

// Scattering has no variants.
TEST(ConvVariants, AProblemWithoutVariantsHasNone) {
  EXPECT_TRUE(conv_backward_variants(parse_problem<ConvProblem>("C3 K64 H224 R7 sh2 ph3"), {}).plans.empty());
}

}  // namespace
}  // namespace brickwork
