#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>

#include "kernels/testing/only_target.hpp"
#include "primitives/rnn/host/rnn_rows.hpp"
#include "primitives/rnn/testing/rnn_check.hpp"
#include "primitives/testing/defined_outputs.hpp"

namespace brickwork {
namespace {

void expect_right(const RnnProblem& p, const RnnPlan& plan, Backend backend = Backend::simd, Isa isa = Isa::best) {
  EXPECT_EQ(wrong_rnn(p, plan, RnnOnHost(backend, isa, {})), "");
}

PlainTensors run_rnn(const RnnProblem& p, const RnnPlan& plan, RnnUse use, const PlainTensors& in) {
  return run_rnn(p, plan, use, in, RnnOnHost(Backend::simd, Isa::best, {}));
}

class RnnOfCell : public testing::TestWithParam<const char*> {};

TEST_P(RnnOfCell, IsRightForEverySizeAndDirection) {
  for (const char* sizes : {"T1 N1 C1 K1", "T3 N2 C5 K3", "T4 N5 C17 K16", "T3 N3 C64 K65", "T2 N4 C100 K130",
                            "T5 N1 C7 K33 L2", "T7 N3 C16 K20 L3", "T2 N1 C1 K37"}) {
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      for (const char* lengths : {"equal", "unequal"}) {
        const auto p = parse_problem<RnnProblem>(fmt::format("{} {} {} {}", sizes, GetParam(), direction, lengths));
        expect_right(p, plan_rnn(p, {.threads = 2}));
      }
    }
  }
}

// So many features are multiplied in parts in the backward pass.
TEST_P(RnnOfCell, IsRightForManyFeatures) {
  const auto p = parse_problem<RnnProblem>(fmt::format("T2 N3 C130 K384 {}", GetParam()));
  expect_right(p, plan_rnn(p, {.threads = 2}));
}

// L1 is taken to be so small that forward cuts sums into blocks of features and backward into a few gates.
TEST_P(RnnOfCell, IsRightForSumsInParts) {
  const auto p = parse_problem<RnnProblem>(fmt::format("T2 N97 C40 K40 {}", GetParam()));
  RnnPlan plan = plan_rnn(p, {.threads = 2});
  plan.bc = 16, plan.bh = plan.bk;
  EXPECT_EQ(wrong_rnn(p, plan, RnnOnHost(Backend::simd, Isa::best, {.sums = Sums::parts, .kept = 1})), "");
}

// With so many sequences the weights' gradients add up a few steps at a time.
TEST_P(RnnOfCell, IsRightForManySequences) {
  const auto p = parse_problem<RnnProblem>(fmt::format("T4 N130 C9 K16 {}", GetParam()));
  expect_right(p, plan_rnn(p, {.threads = 2}));
}

// 171 rows are calls of 86 rows in the backward pass, the last with fewer. One row too many would be the first row of
// the next block of features.
TEST_P(RnnOfCell, IsRightIfTheLastRowsAreFewer) {
  const auto p = parse_problem<RnnProblem>(fmt::format("T3 N57 C40 K20 {}", GetParam()));
  RnnPlan plan = plan_rnn(p, {.threads = 2});
  plan.bc = 16;
  expect_right(p, plan);
}

// Each thread has one block of sequences, or two; with steps=2 the product with x covers two steps.
TEST_P(RnnOfCell, IsRightIfThreadsHaveTheirOwnSequences) {
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  for (const char* rest : {"C9 K40", "C9 K20 L2 bidirectional unequal"}) {
    for (const std::int64_t N : {2 * threads, 4 * threads - 1}) {
      const auto p = parse_problem<RnnProblem>(fmt::format("T5 N{} {} {}", N, rest, GetParam()));
      RnnPlan plan = plan_rnn(p, {.threads = 2});
      plan.bn = 2;
      for (plan.steps = 1; plan.steps <= 2; ++plan.steps) expect_right(p, plan);
    }
  }
}

TEST_P(RnnOfCell, IsRightOnEveryBackendAndIsa) {
  const auto p = parse_problem<RnnProblem>(fmt::format("T3 N5 C20 K40 {}", GetParam()));
  const RnnPlan plan = plan_rnn(p, {.threads = 2});
  for (const BackendInfo& backend : brgemm_backends()) {
    if (!backend.absent_reason.empty()) continue;
    expect_right(p, plan, backend.backend);
    for (const Isa isa : backend.isas) expect_right(p, plan, backend.backend, isa);
  }
}

TEST_P(RnnOfCell, PlansChangeNoResult) {
  EXPECT_TRUE(rc::check("every plan is right", [&] {
    RnnProblem p = parse_problem<RnnProblem>(fmt::format("T1 N1 C1 K1 {}", GetParam()));
    p.T = *rc::gen::inRange(1, 6);
    p.N = *rc::gen::inRange(1, 8);
    p.C = *rc::gen::inRange(1, 40);
    p.K = *rc::gen::inRange(1, 70);
    p.L = *rc::gen::inRange(1, 3);
    p.direction = *rc::gen::element(RnnDirection::forward, RnnDirection::reverse, RnnDirection::bidirectional);
    p.lengths = *rc::gen::element(SequenceLengths::equal, SequenceLengths::unequal);
    RnnPlan plan;
    plan.bc = *rc::gen::inRange<std::int64_t>(1, p.C + 1);
    const std::int64_t vectors = ceil_div(p.K, std::int64_t{16});
    plan.bk = 16 * *rc::gen::inRange<std::int64_t>(1, vectors + 1);
    plan.bh = plan.bk * *rc::gen::inRange<std::int64_t>(1, 16 * vectors / plan.bk + 1);
    plan.bn = *rc::gen::inRange<std::int64_t>(1, p.N + 1);
    plan.steps = *rc::gen::inRange<std::int64_t>(1, p.T + 1);
    expect_right(p, plan);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST_P(RnnOfCell, SaturatedGatesGiveNoNanAndNansSpread) {
  const auto p = parse_problem<RnnProblem>(fmt::format("T3 N2 C4 K5 {}", GetParam()));
  TestData data = make_checkable_test_data<RnnForwardOp>(p, Fill::floats);
  const RnnPlan plan = plan_rnn(p, {.threads = 2});
  float* const x = data.inputs.at<float>("x");
  for (std::int64_t i = 0; i < p.T * p.N * p.C; ++i) x[i] = i % 2 == 0 ? 1e4F : -1e4F;
  const PlainTensors far = run_rnn(p, plan, RnnUse::inference, data.inputs);
  for (const float y : far.values<float>(0)) EXPECT_TRUE(std::isfinite(y));
  x[(1 * p.N + 1) * p.C] = std::numeric_limits<float>::quiet_NaN();  // sequence 1, step 1
  const PlainTensors nan = run_rnn(p, plan, RnnUse::inference, data.inputs);
  for (std::int64_t t = 0; t < p.T; ++t)
    for (std::int64_t n = 0; n < p.N; ++n)
      for (std::int64_t k = 0; k < p.K; ++k)
        EXPECT_EQ(std::isnan(nan.at<float>("y")[(t * p.N + n) * p.K + k]), n == 1 && t >= 1) << t << n << k;
}

TEST_P(RnnOfCell, IsRightForLargeNumbers) {
  const auto p = parse_problem<RnnProblem>(fmt::format("T3 N2 C4 K5 {}", GetParam()));
  const RnnPlan plan = plan_rnn(p, {.threads = 2});
  for (const float factor : {1e15F, 1e30F, 1e36F}) {
    TestData data = make_checkable_test_data<RnnBackwardOp>(p, Fill::floats);
    for (const char* name : {"x", "h0"})
      for (float& x : std::span(data.inputs.at<float>(name), p.N * (name[0] == 'x' ? p.T * p.C : p.K))) x *= factor;
    const PlainTensors expected = defined_outputs<RnnForwardOp>(p, data.inputs);
    const Verdict forward =
        compare(run_rnn(p, plan, RnnUse::training, data.inputs), expected, {RnnForwardOp::bound(p), true});
    EXPECT_EQ(forward.status, Status::ok) << factor << ": " << forward.reason;
    const PlainTensors backward = run_rnn_backward(p, plan, data.inputs, RnnOnHost(Backend::simd, Isa::best, {}));
    for (std::size_t i = 0; i < backward.infos().size(); ++i)
      for (const float x : backward.values<float>(i))
        ASSERT_TRUE(std::isfinite(x)) << factor << " " << backward.infos()[i].name;
  }
}

// Some rows of 16 features in each of 4 columns, equal except for their gates.
struct RnnRowOfLargeNumbers {
  std::vector<float> gates, dgates, large, gradient, c_gradient, zeros;

  explicit RnnRowOfLargeNumbers(const std::vector<float>& of_columns)
      : dgates(64), large(16, 1e30F), gradient(16, 1e30F), c_gradient(16, 1e30F), zeros(16) {
    for (const float gate : of_columns) gates.insert(gates.end(), 16, gate);
  }

  void backward(RnnCell cell, RnnHalf half) {
    rnn_rows(cell, half,
             RnnBackwardRows{.rows = 1,
                             .bk = 16,
                             .gates = gates.data(),
                             .dgates = dgates.data(),
                             .row_of_dgates = 64,
                             .bd = 16,
                             .h_before = large.data(),
                             .h_after = large.data(),
                             .dy = zeros.data(),
                             .ldh = 16,
                             .dh_behind = half == RnnHalf::first ? gradient.data() : nullptr,
                             .dh = gradient.data(),
                             .products = large.data(),
                             .shares = half == RnnHalf::first ? 0 : 1,
                             .c_before = large.data(),
                             .c_after = zeros.data(),
                             .dc_behind = c_gradient.data(),
                             .dc = c_gradient.data()});
  }
  std::vector<float> of_columns() const { return {dgates[0], dgates[16], dgates[32], dgates[48]}; }
};

// A saturated gate has slope 0, so that its gradient is 0 however large the incoming gradient and the state are.
TEST(RnnRows, SaturatedGatesStopLargeGradientsOfLargeStates) {
  for_every_target([](const char* target) {
    SCOPED_TRACE(target);
    const auto gradients = [](RnnCell cell, RnnHalf half, const std::vector<float>& gates) {
      RnnRowOfLargeNumbers row(gates);
      row.backward(cell, half);
      return row.of_columns();
    };
    using testing::ElementsAre;
    for (const float end : {0.0F, 1.0F}) {
      EXPECT_THAT(gradients(RnnCell::lstm, RnnHalf::first, {end, end, 1, end}), ElementsAre(0, 0, 0, 0));
      EXPECT_THAT(gradients(RnnCell::gru, RnnHalf::first, {end, end, 0}), ElementsAre(0, 0, end == 0 ? 1e30F : 0, 0));
      EXPECT_THAT(gradients(RnnCell::gru, RnnHalf::second, {end, end, 0}), ElementsAre(0, 0, 0, 0));
      EXPECT_THAT(gradients(RnnCell::lbr_gru, RnnHalf::first, {0, 0, end, 1e30F}),
                  ElementsAre(1e30F, 0, 0, 1e30F * end));
      EXPECT_THAT(gradients(RnnCell::lbr_gru, RnnHalf::first, {0, 1, end, 1e30F}), ElementsAre(0, 0, 0, 0));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cells, RnnOfCell, testing::Values("lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"),
                         [](const auto& cell) {
                           std::string name = cell.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Rnn, TrainingAndInferenceGiveTheSameBits) {
  const auto p = parse_problem<RnnProblem>("T4 N6 C20 K40");
  const TestData data = make_checkable_test_data<RnnForwardOp>(p, Fill::floats);
  const RnnPlan plan = plan_rnn(p, {.threads = 2});
  const PlainTensors inference = run_rnn(p, plan, RnnUse::inference, data.inputs);
  const PlainTensors training = run_rnn(p, plan, RnnUse::training, data.inputs);
  EXPECT_TRUE(std::ranges::equal(inference.values<float>(0), training.values<float>(0)));
}

TEST(Rnn, ThreadsHaveTheirOwnSequencesIfTheseAreManyAndMultiplyAddsFew) {
  const auto sequences = [](const char* problem) {
    return plan_rnn(parse_problem<RnnProblem>(fmt::format("T10 {}", problem)), {.threads = 2}).bn;
  };
  EXPECT_EQ(sequences("N168 C256 K256"), 84);
  EXPECT_EQ(sequences("N169 C256 K256"), 85);
  EXPECT_EQ(sequences("N128 C256 K256"), 64);
  EXPECT_EQ(sequences("N127 C256 K256"), 127);
  EXPECT_EQ(sequences("N168 C257 K256"), 168);
  EXPECT_EQ(sequences("N168 C256 K256 L2"), 84);
  EXPECT_EQ(sequences("N168 C256 K256 L2 bidirectional"), 168);  // the second layer reads 512 features
  EXPECT_EQ(sequences("N168 C512 K512 gru"), 84);
  EXPECT_EQ(sequences("N168 C512 K512 lbr-gru"), 168);
  EXPECT_EQ(sequences("N168 C1024 K1024 rnn-tanh"), 84);
  EXPECT_EQ(sequences("N1024 C256 K256"), 256);
}

TEST(Rnn, IgnoresStepsAfterASequencesEnd) {
  const auto p = parse_problem<RnnProblem>("T5 N4 C3 K5 bidirectional unequal");
  TestData data = make_checkable_test_data<RnnBackwardOp>(p, Fill::floats);
  for (std::int64_t t = 0; t < p.T; ++t)
    for (std::int64_t n = 0; n < p.N; ++n) {
      if (t < data.inputs.at<std::int32_t>("lengths")[n]) continue;
      std::fill_n(data.inputs.at<float>("x") + (t * p.N + n) * p.C, p.C, std::numeric_limits<float>::quiet_NaN());
      std::fill_n(data.inputs.at<float>("dy") + (t * p.N + n) * 2 * p.K, 2 * p.K,
                  std::numeric_limits<float>::quiet_NaN());
    }
  const PlainTensors out =
      run_rnn_backward(p, plan_rnn(p, {.threads = 2}), data.inputs, RnnOnHost(Backend::simd, Isa::best, {}));
  const Verdict verdict = compare(out, data.expected, data.tolerance);
  EXPECT_EQ(verdict.status, Status::ok) << verdict.reason;
}

TEST(Rnn, RefusesAPlanThatDoesNotFitInOneSentence) {
  const auto p = parse_problem<RnnProblem>("T4 N6 C20 K40");
  const auto refused = [&](const char* plan) { return Rnn::make({p}, parse_rnn_plan(plan), Backend::simd).reason(); };
  EXPECT_NE(refused("bc=21 bh=48 bk=16 bn=6 steps=1").find("bc must be from 1 to C = 20"), std::string::npos);
  EXPECT_NE(refused("bc=20 bh=48 bk=8 bn=6 steps=1").find("bk must be a multiple of 16"), std::string::npos);
  EXPECT_NE(refused("bc=20 bh=24 bk=16 bn=6 steps=1").find("bh must be a multiple of bk"), std::string::npos);
  EXPECT_NE(refused("bc=20 bh=64 bk=16 bn=6 steps=1").find("at most K rounded up to a multiple of bk, 48"),
            std::string::npos);
  EXPECT_NE(refused("bc=20 bh=48 bk=16 bn=7 steps=1").find("bn must be from 1 to N = 6"), std::string::npos);
  EXPECT_NE(refused("bc=20 bh=48 bk=16 bn=6 steps=5").find("steps must be from 1 to T = 4"), std::string::npos);
}

TEST(Rnn, RefusesImpossibleLengths) {
  const auto p = parse_problem<RnnProblem>("T4 N2 C3 K5 unequal");
  Rnn rnn = *Rnn::make({p}, plan_rnn(p, {.threads = 2}), Backend::simd);
  const std::int32_t none[] = {4, 0}, longer[] = {5, 1};
  EXPECT_THROW(rnn.set_lengths(none), std::invalid_argument);
  EXPECT_THROW(rnn.set_lengths(longer), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
