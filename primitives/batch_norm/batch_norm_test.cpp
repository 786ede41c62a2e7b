#include "primitives/batch_norm/batch_norm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>

#include "primitives/batch_norm/op/batch_norm_ops.hpp"
#include "primitives/batch_norm/testing/plain_batch_norm.hpp"
#include "primitives/nest/testing/on_one_thread.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Op>
std::string fault(const BatchNormProblem& p, const BatchNormPlan& plan, const NormPads& pads, const TestData& t) {
  PlainBatchNorm norm(p, plan, pads);
  const PlainTensors out = std::is_same_v<Op, BatchNormForwardOp>     ? norm.forward(t.inputs)
                           : std::is_same_v<Op, BatchNormInferenceOp> ? norm.infer(t.inputs)
                                                                      : norm.backward(t.inputs);
  return compare(out, t.expected, t.tolerance).reason;
}

std::string faults(const BatchNormProblem& p, const BatchNormPlan& plan, const NormPads& pads = {}) {
  return fault<BatchNormForwardOp>(p, plan, pads, make_checkable_test_data<BatchNormForwardOp>(p, Fill::floats)) +
         fault<BatchNormInferenceOp>(p, plan, pads, make_checkable_test_data<BatchNormInferenceOp>(p, Fill::floats)) +
         fault<BatchNormBackwardOp>(p, plan, pads, make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats));
}

TEST(BatchNorm, IsRightForEveryBlockSize) {
  for (std::int64_t bc = 1; bc <= 70; ++bc) {
    const BatchNormProblem p{.N = 3, .C = 70, .H = 3, .W = 5, .epilogue = NormEpilogue::residual_relu};
    EXPECT_EQ(faults(p, {.bc = bc, .blocks = 1 + bc % 3, .by_thread = bc % 2 == 0}), "") << "bc " << bc;
  }
}

// Parts of ResNet-50's layers; and N, C and H * W that leave a remainder everywhere.
TEST(BatchNorm, IsRightForLayersOfEachKind) {
  for (const char* text : {"N3 C16 H112 relu", "N5 C16 H56 residual+relu", "N1 C80 H56", "N3 C512 H7 relu",
                           "N1 C2048 H7 residual+relu", "N5 C7 H9 W13 relu", "N2 C3 H1 W300", "N17 C5 H1"}) {
    const auto p = parse_problem<BatchNormProblem>(text);
    const std::int64_t bc = std::min<std::int64_t>(p.C, 64);
    const MachineModel small{.threads = 2, .l2_bytes = 1 << 18, .l3_bytes = 1 << 18};
    EXPECT_EQ(faults(p, plan_batch_norm(p, BatchNormPass::forward, bc, {.threads = 3})), "") << text;
    EXPECT_EQ(faults(p, plan_batch_norm(p, BatchNormPass::backward, bc, small), {.src = 1, .dst = 2, .dsrc = 1}), "")
        << text;
  }
}

TEST(BatchNorm, IsRightForRandomProblemsAndPlans) {
  EXPECT_TRUE(rc::check([] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    BatchNormProblem p{.N = in(1, 5), .C = in(1, 40), .H = in(1, 12), .W = in(2, 20)};
    p.epilogue = *rc::gen::element(NormEpilogue::none, NormEpilogue::relu, NormEpilogue::residual_relu);
    const BatchNormPlan plan{.bc = in(1, p.C),
                             .blocks = in(1, 5),
                             .by_thread = *rc::gen::arbitrary<bool>(),
                             .sweep = *rc::gen::element(Sweep::cached, Sweep::stream, Sweep::stream_l2)};
    const NormPads pads{in(0, 2), in(0, 2), in(0, 2), in(0, 2), in(0, 2), in(0, 2)};
    const std::string what = faults(p, plan, pads);
    if (!what.empty()) RC_FAIL(to_string(p) + " " + to_string(plan) + ": " + what);
  }));
}

void expect_same_bits(const PlainTensors& a, const PlainTensors& b) {
  for (std::size_t i = 0; i < a.infos().size(); ++i) {
    if (a.values<float>(i).empty()) continue;  // no argument of memcmp may be null
    EXPECT_EQ(std::memcmp(a.values<float>(i).data(), b.values<float>(i).data(), a.values<float>(i).size_bytes()), 0)
        << a.infos()[i].name;
  }
}

// The order of summation depends neither on the threads nor on how many blocks go through a pass together.
TEST(BatchNorm, GivesTheSameBitsOnAnyNumberOfThreads) {
  const BatchNormProblem p{.N = 5, .C = 48, .H = 30, .W = 40, .epilogue = NormEpilogue::residual_relu};
  const TestData t = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats);
  PlainBatchNorm whole(p, {.bc = 16, .blocks = 3});
  PlainTensors forward, backward;
  on_one_thread([&] {
    forward = whole.forward(t.inputs);
    backward = whole.backward(t.inputs);
  });
  const BatchNormPlan others[] = {{.bc = 16, .blocks = 3},
                                  {.bc = 16, .blocks = 1, .sweep = Sweep::stream},
                                  {.bc = 16, .blocks = 2, .by_thread = true}};
  for (const BatchNormPlan& plan : others) {
    PlainBatchNorm norm(p, plan);
    expect_same_bits(norm.forward(t.inputs), forward);
    expect_same_bits(norm.backward(t.inputs), backward);
  }
}

// The mask has a bit for each element above 0, in whole bytes per pixel; the other bits of the last byte are 0.
TEST(BatchNorm, TheMaskSaysWhichOutputsAreAboveZero) {
  for (std::int64_t bc = 1; bc <= 70; ++bc) {
    const BatchNormProblem p{.N = 2, .C = 70, .H = 3, .W = 5, .epilogue = NormEpilogue::residual_relu};
    const TestData t = make_checkable_test_data<BatchNormForwardOp>(p, Fill::floats);
    PlainBatchNorm norm(p, {.bc = bc, .blocks = 2}, {.dst = 1});
    const PlainTensors out = norm.forward(t.inputs);
    const std::int64_t Cb = (p.C + bc - 1) / bc, pixel_bytes = (bc + 7) / 8;
    std::vector<std::uint8_t> expected(norm.mask().size());
    for (std::int64_t i = 0; i < p.elements(); ++i) {
      const std::int64_t hw = i % 15, c = i / 15 % p.C, n = i / 15 / p.C;
      if (!(out.at<float>("dst")[i] > 0)) continue;
      const std::int64_t pixel = ((n * Cb + c / bc) * 15 + hw) * pixel_bytes;
      expected[static_cast<std::size_t>(pixel + c % bc / 8)] |= static_cast<std::uint8_t>(1 << c % bc % 8);
    }
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), norm.mask().begin(), norm.mask().end())) << "bc " << bc;
  }
}

// After the last bit there are as many bytes as a vector's bits may be read or written with. (All masks of these tests
// end where an access to the next byte faults.)
TEST(BatchNorm, AMaskHasAMarginOfSevenBytes) {
  for (const std::int64_t bc : {1, 7, 8, 9, 17, 64}) {
    const BatchNormProblem p{.N = 2, .C = 70, .H = 3, .W = 5, .epilogue = NormEpilogue::relu};
    const std::int64_t Cb = (p.C + bc - 1) / bc, pixel_bytes = (bc + 7) / 8;
    EXPECT_EQ(BatchNorm(p, {.bc = bc, .blocks = 1}).mask_bytes(), 2 * Cb * 3 * 5 * pixel_bytes + 7) << "bc " << bc;
  }
}

// Each wrong bit changes what backward returns: it reads this bit, and no other tensor instead.
TEST(BatchNorm, AWrongBitOfTheMaskChangesTheGradient) {
  const BatchNormProblem p{.C = 20, .H = 2, .W = 3, .epilogue = NormEpilogue::relu};
  const PlainTensors in = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).inputs;
  PlainBatchNorm norm(p, {.bc = 20, .blocks = 1});
  const PlainTensors right = norm.backward(in);
  for (std::int64_t c = 0; c < p.C; ++c)
    for (std::int64_t hw = 0; hw < 6; ++hw) {
      if (in.at<float>("ddst")[c * 6 + hw] == 0) continue;
      std::uint8_t& byte = norm.mask()[static_cast<std::size_t>(hw * 3 + c / 8)];
      byte ^= static_cast<std::uint8_t>(1 << c % 8);
      EXPECT_NE(norm.backward(in, norm.left()).at<float>("dbeta")[c], right.at<float>("dbeta")[c]) << c;
      byte ^= static_cast<std::uint8_t>(1 << c % 8);
    }
}

TEST(BatchNorm, PassesMayHaveTheirOwnPlans) {
  const BatchNormProblem p{.N = 5, .C = 48, .H = 30, .W = 40, .epilogue = NormEpilogue::relu};
  const PlainTensors in = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).inputs;
  PlainBatchNorm one(p, {.bc = 16, .blocks = 3}),
      other(p, {.bc = 16, .blocks = 1, .by_thread = true, .sweep = Sweep::stream});
  one.forward(in);
  expect_same_bits(other.backward(in, one.left()), one.backward(in, one.left()));
}

TEST(BatchNorm, BackwardWithoutTheMaskThrowsALogicError) {
  const BatchNormProblem p{.C = 4, .H = 2, .W = 2, .epilogue = NormEpilogue::relu};
  PlainBatchNorm norm(p, {.bc = 4, .blocks = 1});
  const PlainTensors in = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats).inputs;
  norm.forward(in);
  NormLeft left = norm.left();
  left.mask = nullptr;
  EXPECT_THROW(norm.backward(in, left), std::logic_error);
}

TEST(BatchNorm, AWrongPassFails) {
  const BatchNormProblem p{.N = 3, .C = 6, .H = 4, .W = 5},
      other{.N = 3, .C = 6, .H = 4, .W = 5, .epilogue = NormEpilogue::relu};
  const TestData t = make_checkable_test_data<BatchNormBackwardOp>(p, Fill::floats);
  const BatchNormPlan plan{.bc = 4, .blocks = 2};
  EXPECT_EQ(fault<BatchNormBackwardOp>(p, plan, {}, t), "");
  EXPECT_NE(fault<BatchNormBackwardOp>(other, plan, {}, t), "");
}

TEST(BatchNorm, APlanThatDoesNotFitIsRefused) {
  const BatchNormProblem p{.C = 8, .H = 3, .W = 3};
  EXPECT_THAT([&] { BatchNorm(p, {.bc = 9, .blocks = 1}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("bc must be from 1 to C = 8")));
  EXPECT_THROW(BatchNorm(p, {.bc = 0, .blocks = 1}), std::invalid_argument);
  EXPECT_THROW(BatchNorm(p, {.bc = 8, .blocks = 0}), std::invalid_argument);
}

TEST(BatchNorm, TensorsOfOtherSizesThrowALogicError) {
  const BatchNormProblem p{.C = 8, .H = 3, .W = 3};
  BatchNorm norm(p, {.bc = 4, .blocks = 1});
  const float vector[8] = {};
  const double statistics[8] = {};
  BlockedImages right({1, 8, 3, 3, 0, 4}), wrong({1, 8, 3, 4, 0, 4});
  EXPECT_NO_THROW(norm.infer(right.input(), vector, vector, statistics, statistics, {}, right.output()));
  EXPECT_THROW(norm.infer(wrong.input(), vector, vector, statistics, statistics, {}, right.output()), std::logic_error);
  EXPECT_THROW(norm.infer(right.input(), vector, vector, statistics, statistics, {}, wrong.output()), std::logic_error);
}

TEST(BatchNormPlan, TakesAsManyBlocksTogetherAsTheCachesHold) {
  const auto plan = [](const char* text, BatchNormPass pass) {
    const MachineModel machine{.threads = 4, .l2_bytes = 2 << 20, .l3_bytes = 16 << 20};
    return to_string(plan_batch_norm(parse_problem<BatchNormProblem>(text), pass, 64, machine));
  };
  const auto forward = BatchNormPass::forward, backward = BatchNormPass::backward;
  EXPECT_EQ(plan("N28 C512 H7", forward), "bc=64 blocks=1 thread cached");    // 351 KB per block and tensor
  EXPECT_EQ(plan("N28 C320 H7", forward), "bc=64 blocks=5 team cached");      // five blocks for four threads
  EXPECT_EQ(plan("N28 C512 H14", forward), "bc=64 blocks=1 thread stream");   // 11 MB per tensor
  EXPECT_EQ(plan("N28 C1024 H14", forward), "bc=64 blocks=1 thread stream");  // 1.4 MB; L3 has 8 MB
  EXPECT_EQ(plan("N28 C1024 H14", backward), "bc=64 blocks=2 team stream");   // twice 1.4 MB
  EXPECT_EQ(plan("N14 C256 H14", backward), "bc=64 blocks=3 team cached");    // 703 KB, and dsrc is in the caches, too
  EXPECT_EQ(plan("N14 C256 H14 residual+relu", backward), "bc=64 blocks=2 team cached");
  EXPECT_EQ(plan("N28 C256 H56", backward), "bc=64 blocks=1 team stream");  // 22 MB: no cache holds one
  EXPECT_EQ(plan("N28 C256 H56 relu", BatchNormPass::inference), "bc=64 blocks=4 team stream");  // one sweep only
  const MachineModel into_l2{.sweep = Sweep::stream_l2};
  const auto p = parse_problem<BatchNormProblem>("N28 C256 H56");
  EXPECT_EQ(plan_batch_norm(p, backward, 64, into_l2).sweep, Sweep::stream_l2);
  EXPECT_EQ(plan_batch_norm(p, forward, 64, into_l2).sweep, Sweep::stream);
  EXPECT_EQ(parse_problem<BatchNormPlan>("bc=64 blocks=2 thread stream"), (BatchNormPlan{64, 2, true, Sweep::stream}));
  EXPECT_THROW(parse_problem<BatchNormPlan>("bc=64 blocks=0"), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
