#include "attention/attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "attention_ops.hpp"
#include "fmt/format.h"
#include "test_data.hpp"

namespace brickwork {
namespace {

constexpr float kAttentionNan = std::numeric_limits<float>::quiet_NaN();

struct AttentionBrick {
  Backend backend = Backend::simd;
  Isa isa = Isa::best;
};

Attention attention_of(const AttentionProblem& p, const AttentionPlan& plan, RnnUse use, const PlainTensors& in,
                       AttentionBrick brick) {
  auto made = Attention::make({p, use}, plan, brick.backend, brick.isa);
  if (!made) throw std::logic_error(made.reason());
  Attention attention = *std::move(made);
  attention.set_states(in.at<float>("queries"), in.at<float>("keys"), in.at<float>("values"));
  attention.set_lengths(in.at<std::int32_t>("lengths"));
  attention.run();
  return attention;
}

// After two runs: what the first one leaves must not show.
PlainTensors run_attention(const AttentionProblem& p, const AttentionPlan& plan, const PlainTensors& in,
                           AttentionBrick brick = {}) {
  Attention attention = attention_of(p, plan, RnnUse::training, in, brick);
  attention.run();
  PlainTensors out(AttentionForwardOp::outputs(p));
  poison(out);
  attention.get_context(out.at<float>("context"));
  attention.get_weights(out.at<float>("weights"));
  return out;
}

PlainTensors run_attention_backward(const AttentionProblem& p, const AttentionPlan& plan, const PlainTensors& in,
                                    AttentionBrick brick = {}) {
  Attention attention = attention_of(p, plan, RnnUse::training, in, brick);
  attention.set_gradient(in.at<float>("dcontext"));
  attention.run_backward();
  attention.run_backward();
  PlainTensors out(AttentionBackwardOp::outputs(p));
  poison(out);
  attention.get_gradients(out.at<float>("dqueries"), out.at<float>("dkeys"), out.at<float>("dvalues"));
  return out;
}

AttentionPlan rules_plan(const AttentionProblem& p) { return plan_attention(p, {.threads = 2}); }

void expect_right_attention(const AttentionProblem& p, const AttentionPlan& plan, AttentionBrick brick = {}) {
  const TestData data = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
  const Verdict forward = compare(run_attention(p, plan, data.inputs, brick), data.expected, data.tolerance);
  EXPECT_EQ(forward.status, Status::ok) << to_string(p) << ", " << to_string(plan) << ": " << forward.reason;
  if (p.S < 2) return;
  TestData back;
  try {
    back = make_checkable_test_data<AttentionBackwardOp>(p, Fill::floats);
  } catch (const std::invalid_argument&) {
    return;  // of sequences that all are one step long
  }
  const Verdict backward = compare(run_attention_backward(p, plan, back.inputs, brick), back.expected, back.tolerance);
  EXPECT_EQ(backward.status, Status::ok) << to_string(p) << " backward, " << to_string(plan) << ": " << backward.reason;
}

TEST(Attention, IsRightOfEverySize) {
  for (const char* sizes : {"T1 S1 N1 K1", "T1 S2 N3 K5", "T3 S2 N2 K16", "T5 S7 N4 K17", "T16 S16 N3 K64",
                            "T17 S33 N2 K65", "T50 S50 N3 K300", "T65 S70 N2 K20", "T130 S3 N5 K33"}) {
    for (const char* scale : {"unscaled", "scaled"}) {
      for (const char* lengths : {"equal", "unequal"}) {
        const auto p = parse_problem<AttentionProblem>(fmt::format("{} {} {}", sizes, scale, lengths));
        expect_right_attention(p, rules_plan(p));
      }
    }
  }
}

TEST(Attention, IsRightOnEveryBackendAndIsa) {
  for (const char* text : {"T20 S21 N5 K40", "T20 S21 N5 K40 unequal"}) {
    const auto p = parse_problem<AttentionProblem>(text);
    for (const BackendInfo& backend : brgemm_backends()) {
      if (!backend.absent_reason.empty()) continue;
      expect_right_attention(p, rules_plan(p), {backend.backend});
      for (const Isa isa : backend.isas) expect_right_attention(p, rules_plan(p), {backend.backend, isa});
    }
  }
}

TEST(Attention, PlansChangeNoResult) {
  EXPECT_TRUE(rc::check("every plan is right", [] {
    AttentionProblem p;
    p.T = *rc::gen::inRange(1, 40);
    p.S = *rc::gen::inRange(2, 40);
    p.N = *rc::gen::inRange(1, 6);
    p.K = *rc::gen::inRange(1, 50);
    p.scale = *rc::gen::element(AttentionScale::unscaled, AttentionScale::scaled);
    p.lengths = *rc::gen::element(AttentionLengths::equal, AttentionLengths::unequal);
    AttentionPlan plan;
    plan.tk = *rc::gen::inRange<std::int64_t>(1, p.K + 1);
    plan.gk = plan.tk * *rc::gen::inRange<std::int64_t>(1, p.K / plan.tk + 1);
    plan.bk = plan.gk * *rc::gen::inRange<std::int64_t>(1, p.K / plan.gk + 1);
    plan.bt = *rc::gen::inRange<std::int64_t>(1, p.T + 1);
    plan.bs = *rc::gen::inRange<std::int64_t>(1, p.S + 1);
    expect_right_attention(p, plan);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(Attention, WhatTrainingKeepsChangesNoBit) {
  const auto p = parse_problem<AttentionProblem>("T9 S11 N4 K20");
  const TestData data = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
  const PlainTensors training = run_attention(p, rules_plan(p), data.inputs);
  const Attention inference = attention_of(p, rules_plan(p), RnnUse::inference, data.inputs, {});
  std::vector<float> context(training.values<float>(0).size());
  inference.get_context(context.data());
  EXPECT_TRUE(std::ranges::equal(context, training.values<float>(0)));
}

TEST(Attention, NothingBeyondASequencesEndIsLookedAt) {
  const auto p = parse_problem<AttentionProblem>("T5 S40 N4 K20 unequal");
  TestData data = make_checkable_test_data<AttentionBackwardOp>(p, Fill::floats);
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t s = data.inputs.at<std::int32_t>("lengths")[n]; s < p.S; ++s)
      for (const char* name : {"keys", "values"})
        std::fill_n(data.inputs.at<float>(name) + (s * p.N + n) * p.K, p.K, kAttentionNan);
  const Verdict backward =
      compare(run_attention_backward(p, rules_plan(p), data.inputs), data.expected, data.tolerance);
  EXPECT_EQ(backward.status, Status::ok) << backward.reason;
  const PlainTensors forward = run_attention(p, rules_plan(p), data.inputs);
  for (const float x : forward.values<float>(0)) EXPECT_FALSE(std::isnan(x));
}

TEST(Attention, ShorterSequencesLeaveNothingOfLongerOnes) {
  const auto p = parse_problem<AttentionProblem>("T5 S20 N4 K20 unequal");
  const TestData data = make_checkable_test_data<AttentionBackwardOp>(p, Fill::floats);
  TestData longer = make_checkable_test_data<AttentionBackwardOp>(p, Fill::floats);
  std::ranges::fill(longer.inputs.values<std::int32_t>(3), 20);
  Attention attention = attention_of(p, rules_plan(p), RnnUse::training, longer.inputs, {});
  attention.set_gradient(data.inputs.at<float>("dcontext"));
  attention.run_backward();
  attention.set_lengths(data.inputs.at<std::int32_t>("lengths"));
  attention.run();
  attention.run_backward();
  PlainTensors out(AttentionBackwardOp::outputs(p));
  attention.get_gradients(out.at<float>("dqueries"), out.at<float>("dkeys"), out.at<float>("dvalues"));
  const Verdict verdict = compare(out, data.expected, data.tolerance);
  EXPECT_EQ(verdict.status, Status::ok) << verdict.reason;
}

TEST(Attention, NansGoThroughAndLargeScoresGiveNone) {
  const auto p = parse_problem<AttentionProblem>("T5 S6 N3 K4");
  const TestData data = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
  for (const char* name : {"queries", "keys", "values"}) {
    TestData nan = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
    nan.inputs.at<float>(name)[(2 * p.N + 1) * p.K] = kAttentionNan;  // step 2 of sequence 1, its first feature
    const PlainTensors out = run_attention(p, rules_plan(p), nan.inputs);
    for (std::int64_t t = 0; t < p.T; ++t)
      for (std::int64_t n = 0; n < p.N; ++n) {
        const bool reached = n == 1 && (name != std::string("queries") || t == 2);
        EXPECT_EQ(std::isnan(out.at<float>("context")[(t * p.N + n) * p.K]), reached) << name << t << n;
      }
  }
  TestData large = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
  for (float& x : large.inputs.values<float>(0)) x *= 1e6F;
  const PlainTensors far = run_attention(p, rules_plan(p), large.inputs);
  // One weight is all but 1, the others all but 0.
  PlainTensors exact(with_dtype(AttentionForwardOp::inputs(p), DType::f64)),
      expected(with_dtype(AttentionForwardOp::outputs(p), DType::f64));
  for (const std::size_t i : {0, 1, 2})
    std::ranges::copy(large.inputs.values<float>(i), exact.values<double>(i).begin());
  AttentionForwardOp::reference(p, exact, expected);
  for (const std::size_t i : {0, 1}) {
    EXPECT_THAT(far.values<float>(i), testing::Pointwise(testing::DoubleNear(1e-5), expected.values<double>(i)));
  }
}

TEST(Attention, APlanThatDoesNotFitIsOneSentence) {
  const auto p = parse_problem<AttentionProblem>("T4 S5 N6 K20");
  const auto refused = [&](const char* plan) {
    return Attention::make({p}, parse_attention_plan(plan), Backend::simd).reason();
  };
  EXPECT_EQ(refused("bk=21 gk=21 tk=7 bt=4 bs=5"),
            "plan 'bk=21 gk=21 tk=7 bt=4 bs=5' does not fit T4_S5_N6_K20: bk must be from 1 to K = 20");
  EXPECT_NE(refused("bk=20 gk=20 tk=10 bt=5 bs=5").find("bt must be from 1 to T = 4"), std::string::npos);
  EXPECT_NE(refused("bk=20 gk=20 tk=10 bt=4 bs=6").find("bs must be from 1 to S = 5"), std::string::npos);
  EXPECT_NE(refused("bk=20 gk=8 tk=8 bt=4 bs=5").find("gk must divide bk = 20"), std::string::npos);
  EXPECT_NE(refused("bk=20 gk=10 tk=8 bt=4 bs=5").find("tk must divide gk = 10"), std::string::npos);
  EXPECT_THROW(parse_attention_plan("bk=20 gk=20 bt=4"), std::invalid_argument);
}

TEST(AttentionPlan, BringsTogetherWhatHalfOfL2Holds) {
  const auto gk = [](const char* problem, std::int64_t l2_bytes) {
    return plan_attention(parse_problem<AttentionProblem>(problem), {.l2_bytes = l2_bytes}).gk;
  };
  EXPECT_EQ(gk("T50 S50 N2 K1024", 1 << 20), 256);
  EXPECT_EQ(gk("T300 S300 N2 K1024", 1 << 20), 128);
  EXPECT_EQ(gk("T300 S300 N2 K1024", 2 << 20), 256);
  EXPECT_EQ(gk("T3000 S3000 N2 K1024", 1 << 20), 64);
}

TEST(AttentionPlan, HasATaskForEveryThread) {
  const auto bt = [](const char* problem) { return rules_plan(parse_problem<AttentionProblem>(problem)).bt; };
  EXPECT_EQ(bt("T80 S80 N2 K64"), 80);
  EXPECT_EQ(bt("T80 S80 N1 K64"), 40);
  EXPECT_EQ(bt("T1 S80 N1 K64"), 1);
  EXPECT_EQ(bt("T200 S80 N2 K64"), 100);
}

TEST(Attention, LengthsOfNoSequenceAreRefused) {
  const auto p = parse_problem<AttentionProblem>("T4 N2 K5 unequal");
  Attention attention = *Attention::make({p}, rules_plan(p), Backend::simd);
  const std::int32_t none[] = {4, 0}, longer[] = {5, 1};
  EXPECT_THROW(attention.set_lengths(none), std::invalid_argument);
  EXPECT_THROW(attention.set_lengths(longer), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
