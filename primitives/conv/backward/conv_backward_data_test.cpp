#include "primitives/conv/backward/conv_backward_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

TestData backward_test_data(const ConvProblem& p) {
  return make_checkable_test_data<ConvBackwardDataOp>(p, Fill::integers);
}

// Why the driver's result is wrong, or an empty string.
std::string wrong_dsrc(const ConvProblem& p, ConvBackwardData conv, const TestData& t) {
  AlignedBuffer<float> ddst(conv.ddst_layout().size()), weights(conv.weights_size()), dsrc(conv.dsrc_layout().size());
  pack_nchw(conv.ddst_layout(), t.inputs.at<float>("ddst"), ddst.data());
  std::ranges::fill(weights, std::numeric_limits<float>::quiet_NaN());
  conv.pack_weights(t.inputs.at<float>("weights"), weights.data());
  std::ranges::fill(dsrc, std::numeric_limits<float>::quiet_NaN());
  const auto packed_as_dsrc = [&](const char* name) {
    const float* plain = t.inputs.at<float>(name);
    AlignedBuffer<float> packed(plain != nullptr ? dsrc.size() : 0);
    if (plain != nullptr) pack_nchw(conv.dsrc_layout(), plain, packed.data());
    return packed;
  };
  const AlignedBuffer<float> residual = packed_as_dsrc("residual"), at = packed_as_dsrc("at");
  conv.run(ddst.data(), weights.data(), residual.data(), at.data(), dsrc.data());
  PlainTensors plain(ConvBackwardDataOp::outputs(p));
  poison(plain);
  unpack_nchw(conv.dsrc_layout(), dsrc.data(), plain.at<float>("dsrc"));
  return compare(plain, t.expected, t.tolerance).reason;
}

void expect_backward_exact(const ConvProblem& p, const ConvBackwardPlan& plan, Backend backend, const TestData& t) {
  auto conv = ConvBackwardData::make(p, plan, backend);
  ASSERT_TRUE(conv) << conv.reason();
  EXPECT_EQ(wrong_dsrc(p, *std::move(conv), t), "")
      << to_string(p) << "  " << to_string(plan) << "  " << to_string(backend);
}

class BackwardDataOfResNet50 : public testing::TestWithParam<const char*> {};

TEST_P(BackwardDataOfResNet50, DefaultPlansAreExact) {
  ConvProblem p = parse_problem<ConvProblem>(GetParam());
  p.N = 2;
  const TestData t = backward_test_data(p);
  for (int threads : {1, 2, 28})
    expect_backward_exact(p, plan_conv_backward_data(p, {.threads = threads}), Backend::simd, t);
  if (usable(Backend::libxsmm)) {
    expect_backward_exact(p, plan_conv_backward_data(p, {.threads = 2}, Backend::libxsmm), Backend::libxsmm, t);
  }
}

INSTANTIATE_TEST_SUITE_P(Layer, BackwardDataOfResNet50, testing::ValuesIn(kLayersOfEachKind));

TEST(ConvBackwardData, DefaultPlansAreExactOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_training_problem(ConvBackwardDataOp::steps);
    const MachineModel machine{.threads = *rc::gen::inRange(1, 5),
                               .l2_bytes = *rc::gen::element(1 << 12, 1 << 16, 1 << 20),
                               .l3_bytes = *rc::gen::element(1 << 12, 16 << 20)};
    const TestData t = backward_test_data(p);
    for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (usable(backend)) expect_backward_exact(p, plan_conv_backward_data(p, machine, backend), backend, t);
    }
  }));
}

TEST(ConvBackwardData, RandomLegalPlansAreExact) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_training_problem(ConvBackwardDataOp::steps);
    const ConvPlan plan = random_conv_plan(backward_phases(p).front().view);
    expect_backward_exact(p, plan, Backend::simd, backward_test_data(p));
  }));
}

TEST(ConvBackwardData, ScatteringIsExact) {
  EXPECT_TRUE(rc::check([] {
    ConvProblem p = random_training_problem();
    p.C = *rc::gen::inRange(1, 40);
    const TestData t = backward_test_data(p);
    for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (usable(backend)) expect_backward_exact(p, random_scatter_plan(p), backend, t);
    }
  }));
}

// Checks that the rule chooses scattering at all, which the tests above would not show.
TEST(ConvBackwardData, FewFeaturesAreScattered) {
  const ConvProblem p = parse_problem<ConvProblem>("N2 C3 K64 H20 R7 sh2 ph3");
  EXPECT_EQ(to_string(plan_conv_backward_data(p, {.threads = 2})),
            "scatter bc=64 bk=3 bq=10 ddst=cached loops={n} kb oj oi cb");
  EXPECT_EQ(to_string(plan_conv_backward_data(p, {.threads = 3})),
            "scatter bc=64 bk=3 bq=10 ddst=cached loops={oj:4} n kb oj oi cb");
  EXPECT_EQ(to_string(plan_conv_backward_data(p, {.threads = 2, .l2_bytes = 16 << 10})),
            "scatter bc=64 bk=3 bq=3 ddst=prefetch loops={n} kb oj oi cb");
}

// Pixels of phases without taps are written beside those of the computed phase, which must have at least as many.
TEST(ConvBackwardData, JoinedPixelsNeedPhasesWithoutTapsThatAreNoLarger) {
  const auto plan = parse_conv_plan("bc=8 bk=8 bq=4 joined loops=n kb cb oj oi");
  EXPECT_TRUE(ConvBackwardBlocking::make(parse_problem<ConvProblem>("N2 C8 K8 H7 sh2"), plan));
  const auto padded = ConvBackwardBlocking::make(parse_problem<ConvProblem>("N2 C8 K8 H7 sh2 ph1"), plan);
  ASSERT_FALSE(padded);
  EXPECT_EQ(padded.status(), Status::misfit);
  EXPECT_THAT(padded.reason(), HasSubstr("no phase without taps may have more rows or columns than the computed one"));
}

// The first word tells the two kinds of plans apart.
TEST(ConvBackwardData, PlansOfBothKindsAreParsed) {
  for (const char* text :
       {"scatter bc=64 bk=3 bq=3 ddst=prefetch loops={n} kb oj oi cb",
        "bc=64 bk=64 bq=28 rows taps=batch src=cached weights=cached dst=cached loops={n kb} cb oj oi"}) {
    EXPECT_EQ(to_string(parse_conv_backward_plan(text)), text);
  }
  EXPECT_THAT([] { parse_conv_backward_plan("scatter bc=64 bk=3 bq=3 flat loops={n} kb oj oi cb"); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("flat")));
}

TEST(ConvBackwardData, AMisfitOfScatteringHasAReason) {
  const ConvProblem p = parse_problem<ConvProblem>("C3 K8 H9 R7 sh2 ph3");
  const auto fails = [&](const char* text, const char* what) {
    const auto conv = ConvBackwardData::make(p, parse_conv_scatter_plan(text), Backend::simd);
    ASSERT_FALSE(conv) << text;
    EXPECT_EQ(conv.status(), Status::misfit) << text;
    EXPECT_THAT(conv.reason(), HasSubstr(what));
  };
  fails("bc=9 bk=3 bq=5 loops=n kb oj oi cb", "bc must be from 1 to K = 8");
  fails("bc=8 bk=4 bq=5 loops=n kb oj oi cb", "bk must be from 1 to C = 3");
  fails("bc=8 bk=3 bq=6 loops=n kb oj oi cb", "bq must be from 1 to Q = 5");
  fails("bc=8 bk=3 bq=5 loops=n kb oj {oi} cb", "'oi' adds to one output");
}

// This file's check must find a wrong driver: one for another problem on the same tensors.
TEST(ConvBackwardData, AWrongConvolutionIsSeen) {
  const ConvProblem p = parse_problem<ConvProblem>("N1 C4 K4 H7 R3 sh2 ph1");
  const TestData t = backward_test_data(p);
  const auto of = [](const char* text) {
    const auto problem = parse_problem<ConvProblem>(text);
    return *ConvBackwardData::make(problem, plan_conv_backward_data(problem, {.threads = 1}), Backend::simd);
  };
  EXPECT_EQ(wrong_dsrc(p, of("N1 C4 K4 H7 R3 sh2 ph1"), t), "");
  EXPECT_NE(wrong_dsrc(p, of("N1 C4 K3 H7 R3 sh2 ph1"), t), "");
  EXPECT_NE(wrong_dsrc(p, of("N1 C4 K4 H7 R1 sh2"), t), "");
  const TestData with_epilogue =
      backward_test_data(parse_problem<ConvProblem>("N1 C4 K4 H7 R3 sh2 ph1 residual+drelu"));
  EXPECT_EQ(wrong_dsrc(p, of("N1 C4 K4 H7 R3 sh2 ph1 residual+drelu"), with_epilogue), "");
  for (const char* other : {"", " residual", " drelu", " residual+dtanh"})
    EXPECT_NE(wrong_dsrc(p, of((std::string("N1 C4 K4 H7 R3 sh2 ph1") + other).c_str()), with_epilogue), "") << other;
}

// Phases with and without taps, and calls without a tap inside the image; every step with every brick.
TEST(ConvBackwardData, EveryEpilogueIsExact) {
  for (const char* sizes : {"N2 C20 K12 H7 sh2 ", "N1 C8 K8 H7 sh2 ph1 ", "N1 C16 K16 H5 W9 R3 sh2 ph1 ",
                            "N2 C24 K40 H6 R3 ph1 ", "N1 C4 K4 H9 R2 sh3 ph3 "})
    for (const char* epilogue :
         {"residual", "drelu", "residual+drelu", "dsigmoid", "residual+dtanh", "residual+dgelu"}) {
      const ConvProblem p = parse_problem<ConvProblem>(std::string(sizes) + epilogue);
      const TestData t = backward_test_data(p);
      for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
        if (usable(backend)) expect_backward_exact(p, plan_conv_backward_data(p, {.threads = 2}), backend, t);
      }
    }
}

// Stores in the caches and past them, rows below the last tile, odd sizes, and an epilogue.
TEST(ConvBackwardData, ZerosBetweenThePixelsOfAPhaseAreExact) {
  const auto expect_exact = [](const char* text, const char* dst) {
    const auto p = parse_problem<ConvProblem>(text);
    const ConvPlan plan = parse_conv_plan(std::string("bc=16 bk=16 bq=3 rows taps=batch src=cached dst=") + dst +
                                          " loops={n kb} oj oi cb:9");
    const TestData t = backward_test_data(p);
    for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (usable(backend)) expect_backward_exact(p, plan, backend, t);
    }
  };
  expect_exact("N2 C32 K48 H8 W10 sh2", "cached");
  for (const char* text :
       {"N2 C32 K48 H8 W10 sh2", "N2 C32 K48 H9 W6 sh3 sw2", "N2 C20 K16 H6 R2 sh3 sw3", "N2 C32 K48 H7 W10 sh2",
        "N2 C32 K48 H8 W9 sh2", "N2 C32 K48 H8 W10 sh2 residual", "N2 C32 K48 H8 sh4", "N2 C32 K48 H8 R3 sh2 ph1"}) {
    expect_exact(text, "stream");
  }
}

TEST(ConvBackwardData, AProblemWithoutProductsIsRefusedWithAReason) {
  const ConvProblem p = parse_problem<ConvProblem>("C4 K4 H1 sh2 ph1");
  for (const ConvBackwardPlan& plan :
       {ConvBackwardPlan(ConvPlan{.bc = 4, .bk = 4, .bq = 1}), plan_conv_backward_data(p, {.threads = 2})}) {
    const auto conv = ConvBackwardData::make(p, plan, Backend::simd);
    ASSERT_FALSE(conv);
    EXPECT_EQ(conv.status(), Status::unsupported);
    EXPECT_THAT(conv.reason(), HasSubstr("no output reads a pixel of src"));
  }
}

}  // namespace
}  // namespace brickwork
