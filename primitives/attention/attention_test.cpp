#include "primitives/attention/attention.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/testing/guarded_buffer.hpp"
#include "primitives/attention/op/attention_ops.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/testing/defined_outputs.hpp"

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

// Runs twice: what the first run leaves must not show.
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
    return;  // all sequences are one step long
  }
  const Verdict backward = compare(run_attention_backward(p, plan, back.inputs, brick), back.expected, back.tolerance);
  EXPECT_EQ(backward.status, Status::ok) << to_string(p) << " backward, " << to_string(plan) << ": " << backward.reason;
}

TEST(Attention, IsRightForEverySize) {
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
    p.lengths = *rc::gen::element(SequenceLengths::equal, SequenceLengths::unequal);
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

TEST(Attention, TrainingAndInferenceGiveTheSameBits) {
  const auto p = parse_problem<AttentionProblem>("T9 S11 N4 K20");
  const TestData data = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
  const PlainTensors training = run_attention(p, rules_plan(p), data.inputs);
  const Attention inference = attention_of(p, rules_plan(p), RnnUse::inference, data.inputs, {});
  std::vector<float> context(training.values<float>(0).size());
  inference.get_context(context.data());
  EXPECT_TRUE(std::ranges::equal(context, training.values<float>(0)));
}

TEST(Attention, IgnoresStepsAfterASequencesEnd) {
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

TEST(Attention, LongerSequencesOfAnEarlierRunDoNotShow) {
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

TEST(Attention, NansSpreadAndLargeScoresGiveNoNan) {
  const auto p = parse_problem<AttentionProblem>("T5 S6 N3 K4");
  const TestData data = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
  for (const char* name : {"queries", "keys", "values"}) {
    TestData nan = make_checkable_test_data<AttentionForwardOp>(p, Fill::floats);
    nan.inputs.at<float>(name)[(2 * p.N + 1) * p.K] = kAttentionNan;  // step 2 of sequence 1, feature 0
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
  // One weight is nearly 1, the others are nearly 0.
  const PlainTensors expected = defined_outputs<AttentionForwardOp>(p, large.inputs);
  for (const std::size_t i : {0, 1}) {
    EXPECT_THAT(far.values<float>(i), testing::Pointwise(testing::DoubleNear(1e-5), expected.values<double>(i)));
  }
}

// Integers times factors: scores are exact, and so is which of them are equal. Queries, values and dcontext are from
// -few to few, keys are 1 and -1.
PlainTensors attention_of_integers(const AttentionProblem& p, float queries, float values, float dcontext, int few) {
  PlainTensors in(AttentionBackwardOp::inputs(p));
  std::minstd_rand random(1);
  const auto drawn = [&](int least, int step, int count) {
    return least + step * static_cast<int>(random() / 7 % static_cast<unsigned>(count));
  };
  for (const auto& [i, factor] : {std::pair<std::size_t, float>(0, queries), {2, values}, {4, dcontext}})
    for (float& x : in.values<float>(i)) x = factor * static_cast<float>(drawn(-few, 1, 2 * few + 1));
  for (float& key : in.values<float>(1)) key = static_cast<float>(drawn(-1, 2, 2));
  for (std::int32_t& length : in.values<std::int32_t>(3)) length = drawn(1, 1, static_cast<int>(p.S));
  return in;
}

void expect_as_defined(const AttentionProblem& p, const PlainTensors& in, AttentionBrick brick = {}) {
  const Tolerance tolerance{AttentionForwardOp::bound(p), true};
  const Verdict forward =
      compare(run_attention(p, rules_plan(p), in, brick), defined_outputs<AttentionForwardOp>(p, in), tolerance);
  EXPECT_EQ(forward.status, Status::ok) << forward.reason;
  const Verdict backward = compare(run_attention_backward(p, rules_plan(p), in, brick),
                                   defined_outputs<AttentionBackwardOp>(p, in), tolerance);
  EXPECT_EQ(backward.status, Status::ok) << "backward: " << backward.reason;
}

TEST(Attention, IsRightForNumbersOfEverySize) {
  struct {
    float queries, values, dcontext;
  } const factors[] = {{0x1p50F, 1, 1},  {0x1p100F, 1, 1}, {0x1p116F, 1, 1},  {0x1p-110F, 1, 1},
                       {1, 0x1p100F, 1}, {1, 1, 0x1p100F}, {1, 0x1p-110F, 1}, {0x1p50F, 0x1p30F, 0x1p30F}};
  for (const char* text : {"T17 S33 N3 K65 scaled unequal", "T20 S16 N2 K8 scaled", "T17 S33 N3 K65"}) {
    const auto p = parse_problem<AttentionProblem>(text);
    for (const auto& f : factors) {
      SCOPED_TRACE(fmt::format("{}: {} {} {}", text, f.queries, f.values, f.dcontext));
      expect_as_defined(p, attention_of_integers(p, f.queries, f.values, f.dcontext, 4));
    }
    for (const BackendInfo& backend : brgemm_backends()) {
      for (const Isa isa : backend.isas)
        expect_as_defined(p, attention_of_integers(p, 0x1p50F, 1, 1, 4), {backend.backend, isa});
    }
  }
}

// With one feature, scores are as large as f32 allows, and differences of gradients are larger.
TEST(Attention, IsRightForTheLargestNumbers) {
  const auto p = parse_problem<AttentionProblem>("T17 S33 N3 K1");
  expect_as_defined(p, attention_of_integers(p, 3e38F, 1, 1e-3F, 1));
  expect_as_defined(p, attention_of_integers(p, 1, 3e38F, 1e-3F, 1));
  expect_as_defined(p, attention_of_integers(p, 1e-3F, 3e38F, 1, 1));
}

// These scores' own rounding may decide which is the largest. Results are finite, and weights right.
TEST(Attention, IsFiniteForLargeRandomNumbers) {
  const auto p = parse_problem<AttentionProblem>("T17 S33 N3 K65 scaled unequal");
  for (const float factor : {1e15F, 1e30F, 1e36F}) {
    TestData data = make_checkable_test_data<AttentionBackwardOp>(p, Fill::floats);
    for (float& query : data.inputs.values<float>(0)) query *= factor;
    for (float& key : data.inputs.values<float>(1)) key = std::copysign(1.0F, key);
    const PlainTensors expected = defined_outputs<AttentionForwardOp>(p, data.inputs);
    const PlainTensors forward = run_attention(p, rules_plan(p), data.inputs);
    const auto weights = forward.values<float>(1);
    const auto defined = expected.values<double>(1);
    std::size_t right = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) right += std::abs(weights[i] - defined[i]) < 1e-6;
    EXPECT_EQ(right, weights.size()) << factor;
    EXPECT_TRUE(std::ranges::all_of(forward.values<float>(0), [](float x) { return std::isfinite(x); })) << factor;
    const PlainTensors backward = run_attention_backward(p, rules_plan(p), data.inputs);
    for (const std::size_t i : {0, 1, 2})
      for (const float x : backward.values<float>(i)) ASSERT_TRUE(std::isfinite(x)) << factor << " " << i;
  }
}

TEST(Attention, ReadsAndWritesOnlyItsTensors) {
  for (const char* text : {"T1 S2 N1 K1", "T5 S7 N3 K17 unequal", "T16 S16 N2 K64"}) {
    const auto p = parse_problem<AttentionProblem>(text);
    const TestData data = make_checkable_test_data<AttentionBackwardOp>(p, Fill::floats);
    for (const bool guard_after : {false, true}) {
      const auto guarded = [&](std::size_t i) { return GuardedFloats(data.inputs.values<float>(i), guard_after); };
      GuardedFloats queries = guarded(0), keys = guarded(1), values = guarded(2), dcontext = guarded(4);
      Attention attention = *Attention::make({p, RnnUse::training}, rules_plan(p), Backend::simd);
      attention.set_lengths(data.inputs.at<std::int32_t>("lengths"));
      attention.set_states(queries.data(), keys.data(), values.data());
      attention.set_gradient(dcontext.data());
      attention.run();
      attention.get_context(queries.data());
      attention.run_backward();
      attention.get_gradients(queries.data(), keys.data(), values.data());
      std::vector<float> gradient(queries.data(), queries.data() + p.T * p.N * p.K);
      EXPECT_TRUE(std::ranges::equal(gradient, run_attention_backward(p, rules_plan(p), data.inputs).values<float>(0)));
    }
  }
}

TEST(Attention, RefusesAPlanThatDoesNotFitInOneSentence) {
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

TEST(AttentionPlan, GathersAsManyFeaturesAsHalfOfL2Holds) {
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

TEST(Attention, RefusesImpossibleLengths) {
  const auto p = parse_problem<AttentionProblem>("T4 N2 K5 unequal");
  Attention attention = *Attention::make({p}, rules_plan(p), Backend::simd);
  const std::int32_t none[] = {4, 0}, longer[] = {5, 1};
  EXPECT_THROW(attention.set_lengths(none), std::invalid_argument);
  EXPECT_THROW(attention.set_lengths(longer), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
