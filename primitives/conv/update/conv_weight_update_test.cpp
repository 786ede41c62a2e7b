#include "primitives/conv/update/conv_weight_update.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TestData update_test_data(const ConvProblem& p) {
  return make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers);
}

// The update's outputs; with `to_add_to`, their sum with it.
PlainTensors updated(const ConvProblem& p, ConvWeightUpdate& conv, const PlainTensors& inputs,
                     const PlainTensors* to_add_to = nullptr) {
  AlignedBuffer<float> src(conv.src_layout().size()), ddst(conv.ddst_layout().size()),
      dweights(conv.dweights_layout().size()),
      dbias(p.epilogue.bias ? conv.ddst_layout().Cb() * conv.ddst_layout().bc : 0);
  pack_nchw(conv.src_layout(), inputs.at<float>("src"), src.data());
  pack_nchw(conv.ddst_layout(), inputs.at<float>("ddst"), ddst.data());
  std::ranges::fill(dweights, std::numeric_limits<float>::quiet_NaN());
  std::ranges::fill(dbias, std::numeric_limits<float>::quiet_NaN());
  if (to_add_to != nullptr) {
    pack_kcrs(conv.dweights_layout(), to_add_to->at<float>("dweights"), dweights.data());
    if (dbias.size() > 0) std::copy_n(to_add_to->at<float>("dbias"), p.K, dbias.data());
  }
  conv.run(src.data(), ddst.data(), dweights.data(), dbias.data(),
           to_add_to != nullptr ? Gradients::accumulate : Gradients::overwrite);
  PlainTensors plain(ConvWeightUpdateOp::outputs(p));
  poison(plain);
  unpack_kcrs(conv.dweights_layout(), dweights.data(), plain.at<float>("dweights"));
  if (dbias.size() > 0) std::copy_n(dbias.data(), p.K, plain.at<float>("dbias"));
  return plain;
}

// Why the driver's result is wrong, or an empty string.
std::string wrong_dweights(const ConvProblem& p, ConvWeightUpdate& conv, const TestData& t) {
  return compare(updated(p, conv, t.inputs), t.expected, t.tolerance).reason;
}

// Why the result of an update that adds to the right answer is wrong, or an empty string.
std::string wrong_sum_of_two(const ConvProblem& p, ConvWeightUpdate& conv, const TestData& t) {
  PlainTensors once(ConvWeightUpdateOp::outputs(p)), twice(with_dtype(ConvWeightUpdateOp::outputs(p), DType::f64));
  for (std::size_t i = 0; i < once.infos().size(); ++i) {
    const auto right = t.expected.values<double>(i);
    std::ranges::copy(right, once.values<float>(i).begin());
    std::ranges::transform(right, twice.values<double>(i).begin(), [](double x) { return 2 * x; });
  }
  return compare(updated(p, conv, t.inputs, &once), twice, t.tolerance).reason;
}

void expect_update_exact(const ConvProblem& p, const ConvUpdatePlan& plan, Backend backend, const TestData& t) {
  auto conv = ConvWeightUpdate::make(p, plan, backend);
  if (backend != Backend::simd && !conv && conv.status() == Status::unsupported) return;
  ASSERT_TRUE(conv) << conv.reason();
  EXPECT_EQ(wrong_dweights(p, *conv, t), "") << to_string(p) << "  " << to_string(plan) << "  " << to_string(backend);
  EXPECT_EQ(wrong_sum_of_two(p, *conv, t), "") << to_string(p) << "  " << to_string(plan) << "  " << to_string(backend);
}

class UpdateOfResNet50 : public testing::TestWithParam<const char*> {};

TEST_P(UpdateOfResNet50, DefaultPlansAreExact) {
  ConvProblem p = parse_problem<ConvProblem>(GetParam());
  p.N = 3;
  const TestData t = update_test_data(p);
  for (int threads : {1, 2, 28}) expect_update_exact(p, plan_conv_update(p, {.threads = threads}), Backend::simd, t);
}

INSTANTIATE_TEST_SUITE_P(Layer, UpdateOfResNet50, testing::ValuesIn(kLayersOfEachKind));

TEST(ConvWeightUpdate, DefaultPlansAreExactOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_training_problem(ConvWeightUpdateOp::steps);
    const MachineModel machine{.threads = *rc::gen::inRange(1, 5),
                               .l2_bytes = *rc::gen::element(1 << 12, 1 << 16, 1 << 20),
                               .few_registers = *rc::gen::arbitrary<bool>(),
                               .reduction = *rc::gen::element(Reduction::deep, Reduction::shallow),
                               .pixels = *rc::gen::element(PixelsOfCall::few, PixelsOfCall::many)};
    const TestData t = update_test_data(p);
    const ConvUpdatePlan plan = plan_conv_update(p, machine);
    for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (usable(backend)) expect_update_exact(p, plan, backend, t);
    }
  }));
}

TEST(ConvWeightUpdate, RandomLegalPlansAreExact) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_training_problem(ConvWeightUpdateOp::steps);
    expect_update_exact(p, random_update_plan(p), Backend::simd, update_test_data(p));
  }));
}

// The plan decides the order of summation, not the threads.
TEST(ConvWeightUpdate, EveryRunGivesTheSameBits) {
  const ConvProblem p = parse_problem<ConvProblem>("N5 C20 K24 H9 R3 ph1");
  const TestData t = make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::floats);
  for (const char* text : {"bc=10 bk=24 loops={n:2} n oj kb cb r s", "bc=20 bk=12 loops={kb cb} n oj:3 r s"}) {
    auto conv = ConvWeightUpdate::make(p, parse_conv_update_plan(text), Backend::simd);
    ASSERT_TRUE(conv) << conv.reason();
    const PlainTensors first = updated(p, *conv, t.inputs), second = updated(p, *conv, t.inputs);
    EXPECT_EQ(std::memcmp(first.at<float>("dweights"), second.at<float>("dweights"),
                          sizeof(float) * static_cast<std::size_t>(p.K * p.C * p.R * p.S)),
              0);
  }
}

// This file's check must find a wrong driver: one for another problem on the same tensors.
TEST(ConvWeightUpdate, AWrongUpdateIsSeen) {
  const ConvProblem p = parse_problem<ConvProblem>("N2 C4 K4 H7 R3 sh2 ph1");
  const TestData t = update_test_data(p);
  const auto of = [](const char* text) {
    const auto problem = parse_problem<ConvProblem>(text);
    return *ConvWeightUpdate::make(problem, plan_conv_update(problem, {.threads = 1}), Backend::simd);
  };
  auto right = of("N2 C4 K4 H7 R3 sh2 ph1"), one_image = of("N1 C4 K4 H7 R3 sh2 ph1");
  EXPECT_EQ(wrong_dweights(p, right, t), "");
  EXPECT_EQ(wrong_sum_of_two(p, right, t), "");
  EXPECT_NE(wrong_dweights(p, one_image, t), "");
  EXPECT_NE(wrong_sum_of_two(p, one_image, t), "");
  const ConvProblem with_bias = parse_problem<ConvProblem>("N2 C4 K4 H7 R3 sh2 ph1 bias");
  const TestData of_bias = update_test_data(with_bias);
  EXPECT_NE(wrong_dweights(with_bias, right, of_bias), "") << "without the gradient of the bias";
}

// Images in copies, images in one call, rows in several calls, and a first tap that reads padding only.
TEST(ConvWeightUpdate, GradientOfTheBiasIsExactInEveryOrder) {
  for (const char* text : {"N5 C20 K24 H9 R3 ph1 bias", "N3 C8 K10 H4 R2 sh3 ph3 bias", "N4 C12 K20 H6 bias"}) {
    const ConvProblem p = parse_problem<ConvProblem>(text);
    const TestData t = update_test_data(p);
    for (const char* loops : {"{n:2} n oj kb cb r s", "{kb cb} n:2 oj:3 r s", "{r s} kb oj:2 cb n",
                              "oj:2 {n kb} cb r s oj", "cb r s {n} kb oj"}) {
      const auto plan = parse_conv_update_plan(std::string("bc=4 bk=8 loops=") + loops);
      for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
        if (usable(backend)) expect_update_exact(p, plan, backend, t);
      }
    }
  }
}

// For any share of images and blocks a task gathers its own pixels, for full calls and for shorter last calls.
TEST(ConvWeightUpdate, GatheredPixelsOfAStrideAreExact) {
  for (const char* text : {"N5 C20 K24 H9 sh2", "N3 C7 K10 H5 W8 sh3 sw2 bias", "N4 C12 K20 H6"}) {
    const ConvProblem p = parse_problem<ConvProblem>(text);
    const TestData t = update_test_data(p);
    for (const char* loops :
         {"{n:2} n oj kb cb r s", "{kb cb} n:2 oj r s", "{kb:2 cb:3} n:3 kb cb oj r s", "kb {cb} n r s oj",
          "n:4 {kb:2} n:2 cb kb r s oj", "cb r s {n} kb oj", "kb:2 {kb} n cb oj r s", "kb n cb oj r s",
          "{cb} kb:2 n:2 kb oj r s", "n:2 kb:2 n kb cb oj r s"}) {
      const auto plan = parse_conv_update_plan(std::string("bc=3 bk=8 flat src=gathered loops=") + loops);
      for (Backend backend : {Backend::simd, Backend::portable}) expect_update_exact(p, plan, backend, t);
    }
  }
}

// Calls of one row, of several rows, shorter last calls, and calls of several images.
TEST(ConvWeightUpdate, RowsOfAFlatImageAreExact) {
  for (const char* text : {"N5 C20 K24 H6", "N3 C7 K10 H1 W30 bias"}) {
    const ConvProblem p = parse_problem<ConvProblem>(text);
    const TestData t = update_test_data(p);
    for (const int bq : {1, 3, 6, 15}) {
      if (p.P() * p.Q() % bq != 0) continue;
      for (const char* loops :
           {"{n:2} n oj kb cb r s", "{kb cb} n oj:4 r s", "{cb} n:2 kb oj:5 r s", "kb cb {r} s n oj"}) {
        const auto plan = parse_conv_update_plan(fmt::format("bc=4 bk=8 bq={} flat loops={}", bq, loops));
        for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
          if (usable(backend)) expect_update_exact(p, plan, backend, t);
        }
      }
    }
  }
}

TEST(ConvUpdatePlan, TextRoundTrips) {
  const ConvUpdatePlan plan{.bc = 64,
                            .bk = 32,
                            .pixels = Pixels::flat,
                            .bq = 196,
                            .taps_in_m = true,
                            .gathers = true,
                            .loops = parse_loop_schedule("{kb:2 cb} n:7 oj kb r s")};
  EXPECT_EQ(to_string(plan), "bc=64 bk=32 bq=196 flat taps=m src=gathered loops={kb:2 cb} n:7 oj kb r s");
  EXPECT_EQ(parse_conv_update_plan(to_string(plan)), plan);
  EXPECT_THAT([] { parse_conv_update_plan("bc=64 bk=0 loops=n kb cb oj r s"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("bk is 0")));
}

TEST(ConvWeightUpdate, AMisfitHasAReason) {
  const ConvProblem p = parse_problem<ConvProblem>("C8 K8 H6 R3 ph1");
  const auto fails = [&](const char* text, const char* what) {
    const auto conv = ConvWeightUpdate::make(p, parse_conv_update_plan(text), Backend::simd);
    ASSERT_FALSE(conv) << text;
    EXPECT_EQ(conv.status(), Status::misfit) << text;
    EXPECT_THAT(conv.reason(), HasSubstr(what));
  };
  fails("bc=9 bk=8 loops=n kb cb oj r s", "bc must be from 1 to C = 8");
  fails("bc=8 bk=9 loops=n kb cb oj r s", "bk must be from 1 to K = 8");
  fails("bc=8 bk=8 flat loops=n kb cb oj r s", "flat needs a 1x1 kernel without padding, and stride 1 or src=gathered");
  fails("bc=8 bk=8 bq=3 rows loops=n kb cb oj r s", "bq needs flat and src=cached");
  fails("bc=8 bk=8 rows src=gathered loops=n kb cb oj r s", "src=gathered needs flat");
  const auto joined = parse_conv_update_plan("bc=8 bk=8 joined loops=n kb cb oj r s");
  EXPECT_THAT(ConvUpdateBlocking::make(parse_problem<ConvProblem>("C8 K8 H6 R3 ph1"), joined, DType::f32, 1).reason(),
              HasSubstr("joined needs ddst without zeros beside its rows"));
  const ConvProblem dense = parse_problem<ConvProblem>("C8 K8 H6");
  const auto uneven = parse_conv_update_plan("bc=8 bk=8 bq=8 flat loops=n kb cb oj r s");
  EXPECT_THAT(ConvWeightUpdate::make(dense, uneven, Backend::simd).reason(), HasSubstr("bq must divide P * Q = 36"));
  const ConvProblem strided = parse_problem<ConvProblem>("N4 C8 K8 H6 sh2");
  const auto elsewhere = parse_conv_update_plan("bc=4 bk=1 flat src=gathered loops=kb:4 {kb:3} n cb kb oj r s");
  EXPECT_THAT(ConvWeightUpdate::make(strided, elsewhere, Backend::simd).reason(), HasSubstr("divide each other"));
  const auto large = parse_conv_update_plan("bc=64 bk=8 flat src=gathered loops=n:1024 kb cb oj r s");
  EXPECT_THAT(
      ConvWeightUpdate::make(parse_problem<ConvProblem>("N1024 C1024 K16 H7 sh2"), large, Backend::simd).reason(),
      HasSubstr("src=gathered would need 67.1 MB per task, but a task has at most 16.8 MB"));
  fails("bc=8 bk=8 loops=n kb cb {oj} r s", "'oj' adds to one output");
  fails("bc=8 bk=8 loops=n kb cb oj r", "the loop 's' is missing");
}

}  // namespace
}  // namespace brickwork
