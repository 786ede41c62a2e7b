#include "conv/conv_forward.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "aligned_buffer.hpp"
#include "conv/conv_pack.hpp"
#include "conv/conv_reference.hpp"

namespace brickwork {
namespace {

using Floats = std::vector<float>;

// -3 .. 3: any sum of these products is exact in f32, so the tolerance is 0.
Floats small_integers(std::int64_t size, std::uint32_t seed) {
  Floats values(size);
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 28) / 2.0f - 4.0f;
    value = static_cast<float>(static_cast<int>(value));
  }
  return values;
}

struct Tensors {
  explicit Tensors(const ConvProblem& p)
      : src(small_integers(p.src_size(), 1)),
        weights(small_integers(p.weights_size(), 2)),
        bias(small_integers(p.K, 3)),
        residual(small_integers(p.dst_size(), 4)),
        expected(p.dst_size()) {
    conv_forward_reference(p, src.data(), weights.data(), bias.data(), residual.data(), expected.data());
  }
  Floats src, weights, bias, residual, expected;
};

Floats run(const ConvProblem& p, const ConvForward& conv, const Tensors& t) {
  AlignedBuffer<float> src(conv.src_layout().size()), weights(conv.weights_layout().size()),
      dst(conv.dst_layout().size()), residual(conv.dst_layout().size()),
      bias(conv.dst_layout().Cb() * conv.dst_layout().bc);
  pack_nchw(conv.src_layout(), t.src.data(), src.data());
  pack_kcrs(conv.weights_layout(), t.weights.data(), weights.data());
  pack_nchw(conv.dst_layout(), t.residual.data(), residual.data());
  std::copy(t.bias.begin(), t.bias.end(), bias.data());
  std::fill(dst.begin(), dst.end(), std::numeric_limits<float>::quiet_NaN());
  conv.run(src.data(), weights.data(), bias.data(), residual.data(), dst.data());
  Floats plain(p.dst_size());
  unpack_nchw(conv.dst_layout(), dst.data(), plain.data());
  return plain;
}

void expect_exact(const ConvProblem& p, const ConvPlan& plan, Backend backend, const Tensors& t) {
  const auto conv = ConvForward::make(p, plan, backend);
  ASSERT_TRUE(conv) << conv.reason();
  EXPECT_TRUE(run(p, *conv, t) == t.expected) << to_string(p) << "  " << to_string(plan) << "  " << to_string(backend);
}

bool usable(Backend backend) {
  for (const BackendInfo& info : brgemm_backends()) {
    if (info.backend == backend) return info.unavailable_reason.empty();
  }
  return false;
}

// The layers of ResNet-50 by their ids in the paper's evaluation.
constexpr const char* kResNet50[] = {
    "C3 K64 H224 R7 sh2 ph3", "C64 K256 H56",       "C64 K64 H56",          "C64 K64 H56 R3 ph1", "C256 K64 H56",
    "C256 K512 H56 sh2",      "C256 K128 H56 sh2",  "C128 K128 H28 R3 ph1", "C128 K512 H28",      "C512 K128 H28",
    "C512 K1024 H28 sh2",     "C512 K256 H28 sh2",  "C256 K256 H14 R3 ph1", "C256 K1024 H14",     "C1024 K256 H14",
    "C1024 K2048 H14 sh2",    "C1024 K512 H14 sh2", "C512 K512 H7 R3 ph1",  "C512 K2048 H7",      "C2048 K512 H7"};

class ResNet50 : public testing::TestWithParam<int> {};

TEST_P(ResNet50, RulesPlansAreExact) {
  for (std::int64_t N : {1, 2, 3}) {
    ConvProblem p = parse_conv_problem(kResNet50[GetParam() - 1]);
    p.N = N;
    const Tensors t(p);
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

ConvProblem random_problem() {
  const auto pick = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
  ConvProblem p{.N = pick(1, 3), .C = pick(1, 70), .K = pick(1, 70), .H = pick(1, 12), .W = pick(1, 12)};
  p.stride_h = pick(1, 3), p.stride_w = pick(1, 3), p.pad_h = pick(0, 3), p.pad_w = pick(0, 3);
  p.R = pick(1, std::min<std::int64_t>(5, p.H + 2 * p.pad_h));
  p.S = pick(1, std::min<std::int64_t>(5, p.W + 2 * p.pad_w));
  if (pick(0, 2) == 0) p.R = p.S = p.stride_h = p.stride_w = 1, p.pad_h = p.pad_w = 0;
  p.epilogue = {.bias = pick(0, 1) == 1, .residual = pick(0, 1) == 1, .relu = pick(0, 1) == 1};
  return p;
}

TEST(ConvForward, RulesPlansOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_problem();
    const Tensors t(p);
    const MachineModel machine{.threads = *rc::gen::inRange(1, 5),
                               .l2_bytes = *rc::gen::element(1 << 12, 1 << 16, 1 << 20)};
    for (Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (usable(backend)) expect_exact(p, plan_conv_forward(p, machine, backend), backend, t);
    }
  }));
}

TEST(ConvForward, RandomLegalPlans) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_problem();
    const Tensors t(p);
    ConvPlan plan{.bc = *rc::gen::inRange<std::int64_t>(1, p.C + 1), .bk = *rc::gen::inRange<std::int64_t>(1, p.K + 1)};
    plan.flat = can_be_flat(p) && *rc::gen::arbitrary<bool>();
    plan.bq = *rc::gen::inRange<std::int64_t>(1, (plan.flat ? p.P() * p.Q() : p.Q()) + 1);
    plan.prefetch_src = *rc::gen::arbitrary<bool>();
    plan.stream_dst = *rc::gen::arbitrary<bool>();
    plan.taps_in_k = *rc::gen::arbitrary<bool>();
    std::vector<std::string> order = {"n", "kb", "cb", "oj", "oi", "n", "cb", "oj"};
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    for (auto it = order.begin(); it != order.end(); ++it) {
      const bool inner_follows = std::find(it + 1, order.end(), *it) != order.end();
      const std::int64_t step = inner_follows ? *rc::gen::inRange(3, 6) : *it == "cb" ? *rc::gen::inRange(1, 3) : 1;
      plan.loops.levels.push_back({*it, step, false});
    }
    std::size_t first = *rc::gen::inRange<std::size_t>(0, order.size());
    for (std::size_t i = first; i < order.size() && order[i] != "cb"; ++i) {
      if (std::find(order.begin() + first, order.begin() + i, order[i]) != order.begin() + i) break;
      plan.loops.levels[i].parallel = true;
    }
    expect_exact(p, plan, Backend::simd, t);
  }));
}

TEST(ConvForward, RowsOfPaddingAloneAreZero) {
  const ConvProblem p = parse_conv_problem("N1 C3 K5 H2 W4 R1 S1 ph3 pw3");
  expect_exact(p, plan_conv_forward(p, {.threads = 2}), Backend::simd, Tensors(p));
}

TEST(ConvForward, NhwcInGivesNhwcOut) {
  const ConvProblem p = parse_conv_problem("N2 C5 K19 H6 R3 ph1");
  const Tensors t(p);
  const auto conv = ConvForward::make(p, plan_conv_forward(p, {.threads = 2}), Backend::simd);
  Floats nhwc(p.src_size()), out(p.dst_size());
  for (std::int64_t n = 0, i = 0; n < p.N; ++n)
    for (std::int64_t c = 0; c < p.C; ++c)
      for (std::int64_t hw = 0; hw < p.H * p.W; ++hw, ++i) nhwc[(n * p.H * p.W + hw) * p.C + c] = t.src[i];
  AlignedBuffer<float> src(conv->src_layout().size()), weights(conv->weights_layout().size()),
      dst(conv->dst_layout().size());
  pack_nhwc(conv->src_layout(), nhwc.data(), src.data());
  pack_kcrs(conv->weights_layout(), t.weights.data(), weights.data());
  conv->run(src.data(), weights.data(), nullptr, nullptr, dst.data());
  unpack_nhwc(conv->dst_layout(), dst.data(), out.data());
  for (std::int64_t n = 0, i = 0; n < p.N; ++n)
    for (std::int64_t k = 0; k < p.K; ++k)
      for (std::int64_t pq = 0; pq < p.P() * p.Q(); ++pq, ++i)
        ASSERT_EQ(out[(n * p.P() * p.Q() + pq) * p.K + k], t.expected[i]);
}

// The comparison of this file must see a wrong kernel: here one that is asked for another padding.
TEST(ConvForward, AWrongConvolutionIsSeen) {
  const ConvProblem p = parse_conv_problem("N1 C4 K4 H6 R3 ph1");
  ConvProblem wrong = p;
  wrong.stride_w = wrong.stride_h = 1, wrong.epilogue.relu = true;
  const Tensors t(p);
  const auto conv = ConvForward::make(wrong, plan_conv_forward(wrong, {.threads = 1}), Backend::simd);
  EXPECT_FALSE(run(p, *conv, t) == t.expected);
}

TEST(ConvForward, MissingBackendIsAReason) {
  const ConvProblem p = parse_conv_problem("N1 C4 K4 H6");
#if defined(__x86_64__)
  const auto conv = ConvForward::make(p, plan_conv_forward(p, {.threads = 1}), Backend::simd, Isa::neon);
  ASSERT_FALSE(conv);
  EXPECT_NE(conv.reason().find("neon"), std::string::npos);
#endif
}

}  // namespace
}  // namespace brickwork
