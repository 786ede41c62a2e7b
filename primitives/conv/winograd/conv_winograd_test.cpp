#include "primitives/conv/winograd/conv_winograd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/conv/testing/conv_forward_check.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/conv/winograd/conv_winograd_update.hpp"
#include "primitives/testing/spoilt_scratch.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr auto kOnce = WinogradWeights::of_all_runs;

ConvProblem conv(const std::string& text) { return parse_problem<ConvProblem>(text); }

ConvView backward_view(const ConvProblem& p) { return backward_phases(p).front().view; }

AlignedBuffer<float> poisoned(std::int64_t size) {
  AlignedBuffer<float> buffer(static_cast<std::size_t>(size));
  std::ranges::fill(buffer, kNan);
  return buffer;
}

// The packed tensor, followed by NaN that nothing may read.
AlignedBuffer<float> packed(const ActivationLayout& layout, const float* plain) {
  AlignedBuffer<float> buffer = poisoned(plain != nullptr ? layout.size() + 100 : 0);
  if (plain != nullptr) pack_nchw(layout, plain, buffer.data());
  return buffer;
}

AlignedBuffer<float> packed(const WeightLayout& layout, const float* plain) {
  AlignedBuffer<float> buffer(static_cast<std::size_t>(layout.size()));
  pack_kcrs(layout, plain, buffer.data());
  return buffer;
}

// Why the result of a pass is wrong, or an empty string.
std::string wrong_forward(const ConvProblem& p, const ConvWinograd& winograd, const TestData& t) {
  BlockedConvForward tensors(winograd.src_layout(), winograd.forward_layout(), winograd.dst_layout(), t.inputs);
  AlignedBuffer<float> weights = poisoned(winograd.weights_size());
  spoil_scratch();
  winograd.transform_forward(tensors.weights.data(), weights.data());
  winograd.run(tensors.src.data(), weights.data(), tensors.bias.data(), tensors.residual.data(), nullptr,
               tensors.dst.data());
  return tensors.wrong(p, t);
}

std::string wrong_backward(const ConvProblem& p, const ConvWinograd& winograd, const TestData& t) {
  const ActivationLayout& dsrc_layout = winograd.dst_layout();
  const auto ddst = packed(winograd.src_layout(), t.inputs.at<float>("ddst"));
  const auto residual = packed(dsrc_layout, t.inputs.at<float>("residual"));
  const auto at = packed(dsrc_layout, t.inputs.at<float>("at"));
  AlignedBuffer<float> weights = poisoned(winograd.weights_size()), dsrc = poisoned(dsrc_layout.size());
  spoil_scratch();
  winograd.transform_backward(packed(winograd.backward_layout(), t.inputs.at<float>("weights")).data(), weights.data());
  winograd.run(ddst.data(), weights.data(), nullptr, residual.data(), at.data(), dsrc.data());
  PlainTensors plain(ConvBackwardDataOp::outputs(p));
  poison(plain);
  unpack_nchw(dsrc_layout, dsrc.data(), plain.at<float>("dsrc"));
  return compare(plain, t.expected, t.tolerance).reason;
}

// Adds the rounding of tiles larger than 2 x 2 to the tolerance, which is 0 for small integers.
TestData within_rounding(TestData t, const WinogradPlan& plan) {
  if (plan.tile > 2) t.tolerance.value += kWinogradRounding * largest(t.expected);
  return t;
}

template <class Wrong>
void expect_right(const ConvProblem& p, const ConvView& view, const WinogradPlan& plan, Backend backend,
                  TestData integers, const Wrong& wrong) {
  const auto winograd = ConvWinograd::make(view, plan, backend);
  ASSERT_TRUE(winograd) << winograd.reason();
  const TestData t = within_rounding(std::move(integers), plan);
  EXPECT_EQ(wrong(p, *winograd, t), "") << to_string(p) << "  " << to_string(plan) << "  " << to_string(backend);
}

void expect_forward_right(const ConvProblem& p, const WinogradPlan& plan, Backend backend = Backend::simd) {
  expect_right(p, forward_view(p), plan, backend, conv_forward_test_data(p), wrong_forward);
}

void expect_backward_right(const ConvProblem& p, const WinogradPlan& plan, Backend backend = Backend::simd) {
  expect_right(p, backward_view(p), plan, backend, make_checkable_test_data<ConvBackwardDataOp>(p, Fill::integers),
               wrong_backward);
}

std::string wrong_update(const ConvProblem& p, ConvWinogradUpdate& winograd, const TestData& t) {
  const auto src = packed(winograd.src_layout(), t.inputs.at<float>("src"));
  const auto ddst = packed(winograd.ddst_layout(), t.inputs.at<float>("ddst"));
  AlignedBuffer<float> dweights = poisoned(winograd.dweights_layout().size());
  for (int again = 0; again < 2; ++again) {  // the first run must not change the second one's result
    spoil_scratch();
    winograd.run(src.data(), ddst.data(), dweights.data());
  }
  PlainTensors plain(ConvWeightUpdateOp::outputs(p));
  poison(plain);
  unpack_kcrs(winograd.dweights_layout(), dweights.data(), plain.at<float>("dweights"));
  return compare(plain, t.expected, t.tolerance).reason;
}

void expect_update_right(const ConvProblem& p, const WinogradPlan& plan, Backend backend = Backend::simd,
                         std::int64_t room = 0) {
  auto winograd = ConvWinogradUpdate::make(p, plan, backend, Isa::best, {}, room);
  ASSERT_TRUE(winograd) << winograd.reason();
  ConvWinogradUpdate update = *std::move(winograd);
  const TestData t = within_rounding(make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers), plan);
  EXPECT_EQ(wrong_update(p, update, t), "") << to_string(p) << "  " << to_string(plan) << "  " << to_string(backend);
}

// ResNet-50's 3 x 3 layers with few images, and smaller layers with uneven sizes.
constexpr const char* kLayers[] = {"N2 C64 K64 H56 R3 ph1",  "N2 C128 K128 H28 R3 ph1",  "N3 C256 K256 H14 R3 ph1",
                                   "N3 C512 K512 H7 R3 ph1", "N1 C48 K96 H9 W11 R3 ph1", "N1 C66 K133 H3 R3 ph1",
                                   "N1 C66 K133 H5 R3 ph1",  "N1 C3 K66 H17 R3 ph1"};

TEST(ConvWinograd, DefaultPlansAreRightOnResNet50) {
  for (const char* layer : kLayers) {
    const ConvProblem p = conv(layer);
    for (const int threads : {1, 2, 28}) {
      expect_forward_right(p, plan_winograd(forward_view(p), {.threads = threads}, kOnce));
      expect_backward_right(p, plan_winograd(backward_view(p), {.threads = threads}, kOnce));
    }
    for (const std::int64_t l3_bytes : {1 << 20, 1 << 30}) {  // threads share K, or the tiles
      expect_update_right(p, plan_winograd_update(forward_view(p), {.threads = 2, .l3_bytes = l3_bytes}));
    }
  }
}

// The rule's plan with another size and another number of tiles.
WinogradPlan in_tiles(const ConvView& view, std::int64_t tile, std::int64_t tiles) {
  WinogradPlan plan = plan_winograd(view, {.threads = 2}, kOnce);
  plan.tile = tile;
  plan.tiles = std::min(tiles, winograd_grid(view, tile).all());
  return plan;
}

TEST(ConvWinograd, EveryEdgeIsComputedRight) {
  for (const std::int64_t pad : {0, 1, 2, 3}) {
    for (const char* sizes : {"N1 C1 K1 H3 W3", "N2 C3 K5 H4 W5", "N3 C17 K16 H5 W4", "N2 C16 K33 H7 W6"}) {
      const ConvProblem p = conv(fmt::format("{} R3 ph{}", sizes, pad));
      for (const std::int64_t tile : kWinogradTiles) {
        for (const std::int64_t tiles : {1, 2, 3, 7}) {
          WinogradPlan plan = in_tiles(forward_view(p), tile, tiles);
          expect_forward_right(p, plan);
          expect_backward_right(p, in_tiles(backward_view(p), tile, tiles));
          plan.loops = parse_loop_schedule("g kb");
          expect_update_right(p, plan, Backend::simd, pad);
        }
      }
    }
  }
}

TEST(ConvWinograd, EpiloguesFollowTheLastTransform) {
  for (const std::int64_t tile : kWinogradTiles) {
    for (const char* epilogue : {"bias", "residual", "relu", "bias+residual+relu", "bias+sigmoid"}) {
      const ConvProblem p = conv(fmt::format("N2 C20 K19 H6 W7 R3 ph1 {}", epilogue));
      expect_forward_right(p, in_tiles(forward_view(p), tile, 7));
    }
    for (const char* epilogue : {"residual", "drelu", "residual+drelu"}) {
      const ConvProblem p = conv(fmt::format("N2 C20 K19 H6 W7 R3 ph1 {}", epilogue));
      expect_backward_right(p, in_tiles(backward_view(p), tile, 7));
    }
  }
}

ConvProblem random_problem() {
  ConvProblem p = random_training_problem();
  p.R = p.S = 3, p.stride_h = p.stride_w = 1;
  p.H = std::max<std::int64_t>(p.H, 3), p.W = std::clamp<std::int64_t>(p.W, 3, 40);
  p.pad_h = *rc::gen::inRange(0, 4), p.pad_w = *rc::gen::inRange(0, 4);
  p.C = std::min<std::int64_t>(p.C, 70), p.K = std::min<std::int64_t>(p.K, 70), p.H = std::min<std::int64_t>(p.H, 12);
  return p;
}

WinogradPlan random_plan(const ConvView& view) {
  const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
  const std::int64_t tile = *rc::gen::element<std::int64_t>(2, 4);
  return {.bc = up_to(view.C),
          .bk = up_to(view.K),
          .tile = tile,
          .tiles = up_to(std::min<std::int64_t>(60, winograd_grid(view, tile).all())),
          .loops = parse_loop_schedule(*rc::gen::element<std::string>("{g} kb", "g kb", "g:2 {g} kb", "{g} kb:2 kb",
                                                                      "{g kb}", "{kb:2} g kb", "kb:2 g kb", "kb g"))};
}

TEST(ConvWinograd, RandomPlansAreRight) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_problem();
    for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
      if (!usable(backend)) continue;
      expect_forward_right(p, random_plan(forward_view(p)), backend);
      expect_backward_right(p, random_plan(backward_view(p)), backend);
      if (p.epilogue.any()) continue;
      WinogradPlan plan = random_plan(forward_view(p));
      plan.loops = parse_loop_schedule(*rc::gen::element<std::string>("{g} kb", "g kb", "{g:2} g kb", "{kb:2} g kb",
                                                                      "{kb} g", "kb:2 {g:3} g kb", "kb:2 g kb", "kb g",
                                                                      "{kb:4} kb:2 g kb"));
      expect_update_right(p, plan, backend, *rc::gen::inRange(0, 3));
    }
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

// The algorithm multiplies sums: its error is a few times that of a direct convolution, and not more.
TEST(ConvWinograd, RoundsLittleMoreThanTheDirectAlgorithm) {
  const ConvProblem p = conv("N2 C128 K64 H14 R3 ph1");
  TestData t = make_checkable_test_data<ConvForwardOp>(p, Fill::floats);
  for (const std::int64_t tile : kWinogradTiles) {
    const auto winograd = ConvWinograd::make(forward_view(p), in_tiles(forward_view(p), tile, 20), Backend::simd);
    t.tolerance.value = tile == 2 ? 5e-5 : 2e-4;
    EXPECT_EQ(wrong_forward(p, *winograd, t), "") << tile;
    t.tolerance.value /= 100;
    EXPECT_NE(wrong_forward(p, *winograd, t), "") << tile;
  }
}

TEST(ConvWinograd, AWrongConvolutionIsSeen) {
  const ConvProblem p = conv("N1 C4 K4 H6 R3 ph1 bias");
  const TestData t = conv_forward_test_data(p);
  const auto of = [&](const ConvProblem& problem) {
    return *ConvWinograd::make(forward_view(problem), in_tiles(forward_view(problem), 2, 9), Backend::simd);
  };
  EXPECT_EQ(wrong_forward(p, of(p), t), "");
  for (const char* other : {"N1 C4 K4 H6 R3 ph1", "N1 C4 K4 H6 R3 ph1 bias+relu", "N1 C3 K4 H6 R3 ph1 bias"}) {
    EXPECT_NE(wrong_forward(p, of(conv(other)), t), "") << other;
  }
}

TEST(ConvWinograd, NansReachEveryPixelThatReadsThem) {
  const ConvProblem p = conv("N1 C3 K2 H6 R3 ph1");
  TestData t = conv_forward_test_data(p);
  t.inputs.at<float>("src")[p.W * 2 + 2] = kNan;
  for (const std::int64_t tile : kWinogradTiles) {
    const auto winograd = ConvWinograd::make(forward_view(p), in_tiles(forward_view(p), tile, 4), Backend::simd);
    BlockedConvForward tensors(winograd->src_layout(), winograd->forward_layout(), winograd->dst_layout(), t.inputs);
    AlignedBuffer<float> weights = poisoned(winograd->weights_size());
    winograd->transform_forward(tensors.weights.data(), weights.data());
    winograd->run(tensors.src.data(), weights.data(), nullptr, nullptr, nullptr, tensors.dst.data());
    for (std::int64_t h = 0; h < p.H; ++h) {
      for (std::int64_t w = 0; w < p.W; ++w) {
        const bool sees = std::abs(h - 2) <= 1 && std::abs(w - 2) <= 1, far = h > 3 || w > 3;
        const float x = tensors.dst.data()[winograd->dst_layout().index(0, 1, h, w)];
        EXPECT_TRUE(!sees || std::isnan(x)) << h << " " << w << " " << tile;
        EXPECT_FALSE(far && std::isnan(x)) << h << " " << w << " " << tile;
      }
    }
  }
}

TEST(ConvWinograd, UnsupportedProblemsAndMisfitsHaveAReason) {
  const auto why = [](const char* problem, const char* plan) {
    const auto winograd = ConvWinograd::make(forward_view(conv(problem)), parse_winograd_plan(plan), Backend::simd);
    return fmt::format("{}: {}", to_string(winograd.status()), winograd.reason());
  };
  const char* const plan = "bc=8 bk=8 tile=2 tiles=9 loops={g} kb";
  EXPECT_THAT(why("C8 K8 H6", plan), HasSubstr("unsupported: Winograd's algorithm needs a 3 x 3 kernel with stride 1"));
  EXPECT_THAT(why("C8 K8 H6 R3 sh2 ph1", plan), HasSubstr("but this kernel is 3 x 3 with stride 2 x 2"));
  const char* const layer = "C8 K8 H6 R3 ph1";
  EXPECT_THAT(why(layer, "bc=9 bk=8 tile=2 tiles=9 loops={g} kb"), HasSubstr("misfit: "));
  EXPECT_THAT(why(layer, "bc=9 bk=8 tile=2 tiles=9 loops={g} kb"), HasSubstr("bc must be from 1 to C = 8"));
  EXPECT_THAT(why(layer, "bc=8 bk=9 tile=2 tiles=9 loops={g} kb"), HasSubstr("bk must be from 1 to K = 8"));
  EXPECT_THAT(why(layer, "bc=8 bk=8 tile=3 tiles=4 loops={g} kb"), HasSubstr("tile must be 2 or 4"));
  EXPECT_THAT(why(layer, "bc=8 bk=8 tile=2 tiles=10 loops={g} kb"), HasSubstr("tiles must be from 1 to 9"));
  EXPECT_THAT(why(layer, "bc=8 bk=2 tile=2 tiles=9 loops={kb:3} kb:2 g kb"),
              HasSubstr("steps of kb outside g must divide each other"));
  EXPECT_THAT(why(layer, "bc=8 bk=8 tile=2 tiles=9 loops={g}"), HasSubstr("the loop 'kb' is missing"));
  EXPECT_THAT(why("N1024 C1024 K8 H6 R3 ph1", "bc=64 bk=8 tile=2 tiles=9000 loops={g} kb"),
              HasSubstr("tiles of src would need 594.4 MB per task, but a task has at most 16.8 MB"));
}

TEST(ConvWinograd, AWrongUpdateIsSeen) {
  const ConvProblem p = conv("N2 C4 K4 H6 R3 ph1");
  const TestData t = make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers);
  const auto wrong = [&](const char* problem) {
    const ConvProblem other = conv(problem);
    WinogradPlan plan = in_tiles(forward_view(other), 2, 9);
    plan.loops = parse_loop_schedule("g kb");
    auto winograd = *ConvWinogradUpdate::make(other, plan, Backend::simd);
    return wrong_update(p, winograd, t);
  };
  EXPECT_EQ(wrong("N2 C4 K4 H6 R3 ph1"), "");
  EXPECT_NE(wrong("N1 C4 K4 H6 R3 ph1"), "");
  EXPECT_NE(wrong("N2 C3 K4 H6 R3 ph1"), "");
}

TEST(ConvWinograd, UnsupportedUpdatesAndMisfitsHaveAReason) {
  const auto why = [](const char* problem, const char* plan) {
    const auto update = ConvWinogradUpdate::make(conv(problem), parse_winograd_plan(plan), Backend::simd);
    return fmt::format("{}: {}", to_string(update.status()), update.reason());
  };
  EXPECT_THAT(why("C8 K8 H6", "bc=8 bk=8 tile=2 tiles=9 loops=g kb"),
              HasSubstr("unsupported: Winograd's algorithm needs a 3 x 3 kernel"));
  EXPECT_THAT(why("C8 K8 H6 R3 ph1 bias", "bc=8 bk=8 tile=2 tiles=9 loops=g kb"),
              HasSubstr("does not compute the gradient of a bias"));
  EXPECT_THAT(why("C8 K8 H6 R3 ph1", "bc=8 bk=8 tile=2 tiles=99 loops=g kb"), HasSubstr("misfit: "));
  EXPECT_THAT(why("C8 K8 H6 R3 ph1", "bc=8 bk=2 tile=2 tiles=9 loops={kb:3} kb:2 g kb"),
              HasSubstr("steps of kb outside g must divide each other"));
}

TEST(WinogradPlan, TextRoundTrips) {
  const WinogradPlan plan{.bc = 64, .bk = 32, .tile = 2, .tiles = 56, .loops = parse_loop_schedule("{g} kb")};
  EXPECT_EQ(to_string(plan), "bc=64 bk=32 tile=2 tiles=56 loops={g} kb");
  EXPECT_EQ(parse_winograd_plan(to_string(plan)), plan);
  EXPECT_TRUE(is_winograd_plan(to_string(plan)));
  EXPECT_FALSE(is_winograd_plan("bc=64 bk=32 bq=28 loops={n kb} cb oj oi"));
  EXPECT_THROW(parse_winograd_plan("bc=64 bk=32 loops={g} kb"), std::invalid_argument);
}

TEST(WinogradPlan, FitsATasksMemoryWithManyFeatures) {
  const ConvView view = forward_view(conv("N4 C16384 K16 H14 R3 ph1"));
  EXPECT_TRUE(ConvWinograd::make(view, plan_winograd(view, {.threads = 2}, kOnce), Backend::simd));
  EXPECT_TRUE(ConvWinogradUpdate::make(conv("N4 C16384 K16 H14 R3 ph1"), plan_winograd_update(view, {.threads = 2}),
                                       Backend::simd));
}

// It does not pay if the weights' transform is most of the work, or if half of each tile hangs over the edge.
TEST(WinogradPlan, PaysWhereProductsAreMostOfTheWork) {
  const auto pays = [](const char* problem) { return winograd_pays(forward_view(conv(problem)), {.threads = 2}); };
  EXPECT_TRUE(pays("N28 C64 K64 H56 R3 ph1"));
  EXPECT_TRUE(pays("N28 C512 K512 H7 R3 ph1"));
  EXPECT_FALSE(pays("N28 C64 K64 H56"));
  EXPECT_FALSE(pays("N28 C64 K64 H56 R3 sh2 ph1"));
  EXPECT_FALSE(pays("N1 C512 K512 H1 R3 ph1"));
  EXPECT_FALSE(pays("N1 C2 K2 H56 R3 ph1"));
}

// Larger tiles need fewer multiplications, but more of them hang over the edge, and there are more transformed weights.
TEST(WinogradPlan, TakesTheTilesWithLessWork) {
  const auto tile = [](const char* problem, WinogradWeights weights) {
    return plan_winograd(forward_view(conv(problem)), {.threads = 2}, weights).tile;
  };
  for (const auto weights : {WinogradWeights::of_run, kOnce}) {
    EXPECT_EQ(tile("N28 C64 K64 H56 R3 ph1", weights), 4);
    EXPECT_EQ(tile("N28 C512 K512 H7 R3 ph1", weights), 4);
    EXPECT_EQ(tile("N28 C512 K512 H2 R3 ph1", weights), 2);
    EXPECT_EQ(tile("N28 C256 K256 H6 R3 ph1", weights), 2);
    EXPECT_EQ(tile("N1 C512 K512 H4 R3 ph1", weights), 2);
  }
  EXPECT_EQ(tile("N1 C512 K512 H7 R3 ph1", kOnce), 4);
  EXPECT_EQ(tile("N1 C512 K512 H7 R3 ph1", WinogradWeights::of_run), 2);
  // This L3 holds the weights of the smaller tiles only.
  const MachineModel large_l3{.threads = 2, .l3_bytes = 32 << 20};
  EXPECT_EQ(plan_winograd(forward_view(conv("N1 C512 K512 H7 R3 ph1")), large_l3, kOnce).tile, 2);
}

// With few tiles and many weights, each thread reads its own part of the weights.
TEST(WinogradPlan, SharesTilesOrFeaturesAmongThreads) {
  const auto loops = [](const char* problem) {
    return to_string(plan_winograd(forward_view(conv(problem)), {.threads = 2}, kOnce).loops);
  };
  EXPECT_EQ(loops("N28 C64 K64 H56 R3 ph1"), "{g:49} g kb");
  EXPECT_EQ(loops("N1 C512 K512 H7 R3 ph1"), "{kb:4} g kb");
  EXPECT_EQ(loops("N1 C512 K128 H7 R3 ph1"), "{kb} g");
}

}  // namespace
}  // namespace brickwork
