#include "primitives/conv/forward/conv_forward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/testing/conv_forward_check.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

// Why the driver's result is wrong, or an empty string.
std::string wrong(const ConvProblem& p, const ConvForward& conv, const TestData& t) {
  BlockedConvForward tensors(conv.src_layout(), conv.weights_layout(), conv.dst_layout(), t.inputs);
  conv.run(tensors.src.data(), tensors.weights.data(), tensors.bias.data(), tensors.residual.data(),
           tensors.dst.data());
  return tensors.wrong(p, t);
}

void expect_exact(const ConvProblem& p, const ConvPlan& plan, Backend backend, const TestData& t) {
  const auto conv = ConvForward::make(p, plan, backend);
  ASSERT_TRUE(conv) << conv.reason();
  EXPECT_EQ(wrong(p, *conv, t), "") << to_string(p) << "  " << to_string(plan) << "  " << to_string(backend);
}

// The layers of ResNet-50 in the order of their ids in the paper's evaluation.
constexpr const char* kResNet50[] = {
    "C3 K64 H224 R7 sh2 ph3", "C64 K256 H56",       "C64 K64 H56",          "C64 K64 H56 R3 ph1", "C256 K64 H56",
    "C256 K512 H56 sh2",      "C256 K128 H56 sh2",  "C128 K128 H28 R3 ph1", "C128 K512 H28",      "C512 K128 H28",
    "C512 K1024 H28 sh2",     "C512 K256 H28 sh2",  "C256 K256 H14 R3 ph1", "C256 K1024 H14",     "C1024 K256 H14",
    "C1024 K2048 H14 sh2",    "C1024 K512 H14 sh2", "C512 K512 H7 R3 ph1",  "C512 K2048 H7",      "C2048 K512 H7"};

class ResNet50 : public testing::TestWithParam<int> {};

TEST_P(ResNet50, DefaultPlansAreExact) {
  ConvProblem p = parse_problem<ConvProblem>(kResNet50[GetParam() - 1]);
  p.N = 3;
  const TestData t = conv_forward_test_data(p);
  for (std::int64_t N : {3, 2, 1}) {
    p.N = N;  // only the first images
    for (int threads : {1, 2, 28}) {
      const ConvPlan plan = plan_conv_forward(p, {.threads = threads});
      expect_exact(p, plan, Backend::simd, t);
      if (N == 2 && threads == 2 && usable(Backend::libxsmm)) {
        expect_exact(p, plan_conv_forward(p, {.threads = threads}, Backend::libxsmm), Backend::libxsmm, t);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layer, ResNet50, testing::Range(1, 21));

TEST(ConvForward, DefaultPlansAreExactOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem other = random_conv_problem();
    const MachineModel machine{.threads = *rc::gen::inRange(1, 5),
                               .l2_bytes = *rc::gen::element(1 << 12, 1 << 16, 1 << 20),
                               .l3_bytes = *rc::gen::element(1 << 12, 16 << 20)};
    for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (!usable(backend)) continue;
      const ConvPlan plan = plan_conv_forward(other, machine, backend);
      const ConvProblem p = moved_to_block_boundaries(other, plan);
      const TestData t = conv_forward_test_data(p);
      expect_exact(p, plan_conv_forward(p, machine, backend), backend, t);
      expect_exact(p, plan, backend, t);
    }
  }));
}

TEST(ConvForward, RandomLegalPlansAreExact) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem other = random_conv_problem();
    const ConvPlan plan = random_conv_plan(other);
    const ConvProblem p = moved_to_block_boundaries(other, plan);
    expect_exact(p, plan, Backend::simd, conv_forward_test_data(p));
  }));
}

// Padded rows that several calls share: hints about the padding hold for whole rows only.
TEST(ConvForward, CutRowsUnderPaddingAreExact) {
  for (const char* text : {"N1 C64 K64 H3 W300 R3 ph1", "N1 C64 K64 H3 W300 R3 ph1 bias+residual+relu",
                           "N1 C20 K70 H4 W71 R5 sh1 sw2 ph2", "N2 C3 K16 H5 W301 R3 ph1",
                           // With these strides no output reads the last columns, so that the rims differ in width.
                           "N1 C16 K64 H2 W58 R3 sh1 sw2 ph1", "N1 C16 K64 H1 W89 R5 S7 sh1 sw3 ph2 pw3"}) {
    const ConvProblem p = parse_problem<ConvProblem>(text);
    const TestData t = conv_forward_test_data(p);
    for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (usable(backend)) expect_exact(p, plan_conv_forward(p, {.threads = 2}, backend), backend, t);
    }
    ConvPlan plan = plan_conv_forward(p, {.threads = 2});
    for (std::int64_t bq : {std::int64_t{13}, std::int64_t{28}, p.Q() - 1, p.Q()}) {
      plan.bq = bq;
      expect_exact(p, plan, Backend::simd, t);
    }
  }
}

// The epilogue belongs to the last part of the reduction, in any order of the loops.
TEST(ConvForward, EpiloguesAreExactInEveryOrderOfTheReduction) {
  for (const char* text : {"N2 C40 K24 H5 R3 ph1 bias+residual+relu", "N2 C40 K24 H5 bias", "N2 C40 K24 H5 residual",
                           "N2 C40 K24 H5 R3 ph1 relu", "N2 C40 K24 H5 W80 R3 ph1 bias+relu"}) {
    const ConvProblem p = parse_problem<ConvProblem>(text);
    const TestData t = conv_forward_test_data(p);
    for (const char* loops : {"{n kb} oj oi cb:5", "{n kb} oj oi cb", "cb:2 {n kb} oj oi", "{n} cb:3 kb oj oi cb",
                              "n cb:2 kb oj oi", "cb {oj} n kb oi", "kb oj cb:4 n oi cb:3"}) {
      ConvPlan plan{.bc = 8, .bk = 16, .bq = std::min<std::int64_t>(p.Q(), 28)};
      plan.loops = parse_loop_schedule(loops);
      expect_exact(p, plan, Backend::simd, t);
      plan.bk = 12, plan.dst = CAccess::stream;
      expect_exact(p, plan, Backend::simd, t);
    }
  }
}

TEST(ConvForward, RowsOfPaddingAloneAreZero) {
  const ConvProblem p = parse_problem<ConvProblem>("N1 C3 K5 H2 W4 R1 S1 ph3 pw3");
  expect_exact(p, plan_conv_forward(p, {.threads = 2}), Backend::simd, conv_forward_test_data(p));
}

TEST(ConvForward, NhwcInGivesNhwcOut) {
  const ConvProblem p = parse_problem<ConvProblem>("N2 C5 K19 H6 R3 ph1");
  const TestData t = conv_forward_test_data(p);
  const auto conv = ConvForward::make(p, plan_conv_forward(p, {.threads = 2}), Backend::simd);
  BlockedConvForward tensors(conv->src_layout(), conv->weights_layout(), conv->dst_layout(), t.inputs);
  const auto nhwc_index = [](std::int64_t i, std::int64_t channels, std::int64_t pixels) {  // i: index in NCHW
    return (i / (channels * pixels) * pixels + i % pixels) * channels + i / pixels % channels;
  };
  std::vector<float> nhwc(static_cast<std::size_t>(p.N * p.C * p.H * p.W));
  for (std::size_t i = 0; i < nhwc.size(); ++i) {
    nhwc[nhwc_index(static_cast<std::int64_t>(i), p.C, p.H * p.W)] = t.inputs.at<float>("src")[i];
  }
  std::ranges::fill(tensors.src, 0.0f);
  pack_nhwc(conv->src_layout(), nhwc.data(), tensors.src.data());
  conv->run(tensors.src.data(), tensors.weights.data(), nullptr, nullptr, tensors.dst.data());

  PlainTensors out(ConvForwardOp::outputs(p));
  const auto dst = out.values<float>(0);
  std::vector<float> out_nhwc(dst.size());
  unpack_nhwc(conv->dst_layout(), tensors.dst.data(), out_nhwc.data());
  for (std::size_t i = 0; i < dst.size(); ++i) {
    dst[i] = out_nhwc[nhwc_index(static_cast<std::int64_t>(i), p.K, p.P() * p.Q())];
  }
  EXPECT_EQ(compare(out, t.expected, t.tolerance).reason, "");
}

// This file's check must find a driver for another problem on the same tensors, and one that never ran.
TEST(ConvForward, AWrongConvolutionIsSeen) {
  const ConvProblem p = parse_problem<ConvProblem>("N1 C4 K4 H6 R3 ph1 bias");
  const TestData t = conv_forward_test_data(p);
  for (const char* other : {"N1 C4 K4 H6 R3 ph1 bias+relu", "N1 C4 K4 H6 R3 ph1", "N1 C3 K4 H6 R3 ph1 bias"}) {
    const ConvProblem wrong_problem = parse_problem<ConvProblem>(other);
    const auto conv = ConvForward::make(wrong_problem, plan_conv_forward(wrong_problem, {.threads = 1}), Backend::simd);
    EXPECT_NE(wrong(p, *conv, t), "") << other;
  }
  const auto conv = ConvForward::make(p, plan_conv_forward(p, {.threads = 1}), Backend::simd);
  EXPECT_EQ(wrong(p, *conv, t), "");
  EXPECT_NE(BlockedConvForward(conv->src_layout(), conv->weights_layout(), conv->dst_layout(), t.inputs).wrong(p, t),
            "");
}

TEST(ConvForward, AMissingBackendHasAReason) {
#if defined(__x86_64__)
  const ConvProblem p = parse_problem<ConvProblem>("N1 C4 K4 H6");
  const auto conv = ConvForward::make(p, plan_conv_forward(p, {.threads = 1}), Backend::simd, Isa::neon);
  ASSERT_FALSE(conv);
  EXPECT_EQ(conv.status(), Status::unsupported);
  EXPECT_THAT(conv.reason(), HasSubstr("neon"));
#endif
}

TEST(ConvForward, AMisfitHasAReason) {
  ConvProblem p = parse_problem<ConvProblem>("C8 K8 H6 R3 ph1");
  const auto fails = [&](const char* text, const char* what) {
    const auto conv = ConvForward::make(p, parse_conv_plan(text), Backend::simd);
    ASSERT_FALSE(conv) << text;
    EXPECT_EQ(conv.status(), Status::misfit) << text;
    EXPECT_THAT(conv.reason(), HasSubstr(what));
  };
  fails("bc=9 bk=8 bq=6 loops=n kb cb oj oi", "bc must be from 1 to C = 8");
  fails("bc=8 bk=9 bq=6 loops=n kb cb oj oi", "bk must be from 1 to K = 8");
  fails("bc=8 bk=8 bq=7 loops=n kb cb oj oi", "bq must be from 1 to Q = 6");
  fails("bc=8 bk=8 bq=6 flat taps=k dst=stream loops=n kb cb oj oi", "flat needs a 1x1 kernel");
  fails("bc=8 bk=8 bq=999 joined loops=n kb cb oj oi", "bq must be from 1 to N*P*Q = ");
  fails("bc=8 bk=8 bq=6 joined src=prefetch loops=n kb cb oj oi", "joined needs src=cached");
  fails("bc=8 bk=8 bq=6 loops=n {cb} kb oj oi", "'cb' adds to one output");
  fails("bc=8 bk=8 bq=6 loops=n kb cb oj", "the loop 'oi' is missing");
  p = parse_problem<ConvProblem>("N4 C8 K16 H7 sh2");
  fails("bc=8 bk=8 bq=6 flat loops=n kb cb oj oi", "flat needs a 1x1 kernel of stride 1");
  p = parse_problem<ConvProblem>("C2147483648 K1 H1");
  fails("bc=2147483648 bk=1 bq=1 loops=n kb cb oj oi", "m, n and k must be below 2^31");
}

}  // namespace
}  // namespace brickwork
