#include <gtest/gtest.h>
#include <omp.h>
#include <rapidcheck.h>

#include <limits>

#include "baselines.hpp"
#include "conv/conv_reference.hpp"
#include "small_integers.hpp"

namespace brickwork {
namespace {

struct Factory {
  const char* name;
  std::unique_ptr<ConvContender> (*make)();
};

void PrintTo(const Factory& factory, std::ostream* out) { *out << factory.name; }

constexpr Factory factories[] = {{"onednn", make_onednn_conv},
                                 {"libxsmm_dnn", make_libxsmm_dnn_conv},
                                 {"im2col", make_im2col_conv},
                                 {"small_gemm", make_small_gemm_conv}};

// One problem with its inputs and the right output.
struct Case {
  explicit Case(const ConvProblem& p)
      : problem(p),
        src(small_integers(p.src_size(), 1)),
        weights(small_integers(p.weights_size(), 2)),
        bias(small_integers(p.K, 3)),
        residual(small_integers(p.dst_size(), 4)),
        expected(p.dst_size()) {
    const ConvTensors t = tensors();
    conv_forward_reference(p, t.src, t.weights, t.bias, t.residual, expected.data());
  }

  ConvTensors tensors() const {
    return {src.data(), weights.data(), problem.epilogue.bias ? bias.data() : nullptr,
            problem.epilogue.residual ? residual.data() : nullptr};
  }

  ConvProblem problem;
  std::vector<float> src, weights, bias, residual, expected;
};

// Packs and runs twice, because the harness does so again and again. An element that is left out keeps NaN.
bool is_exact(const ConvContender& contender, const Case& c, const Resources& resources) {
  omp_set_num_threads(resources.threads);
  const auto prepared = contender.prepare(c.problem, c.tensors(), resources);
  for (int round = 0; round < 2; ++round) {
    std::vector<float> dst(c.expected.size(), std::numeric_limits<float>::quiet_NaN());
    prepared->pack();
    prepared->run();
    prepared->run();
    prepared->unpack(dst.data());
    if (dst != c.expected) return false;
  }
  return true;
}

class ConvBaseline : public testing::TestWithParam<Factory> {
 protected:
  std::unique_ptr<ConvContender> contender = GetParam().make();
};

TEST_P(ConvBaseline, IsExactOnEveryProblemItSupports) {
  for (const char* text : {
           "N2 C64 K64 H7",                          // 1x1
           "N1 C1 K1 H1",                            // one multiplication
           "N2 C32 K48 H14 R3 ph1",                  // 3x3, rim of zeros
           "N1 C16 K16 H28 R3 ph1",                  //
           "N2 C64 K128 H56",                        // rows of 56 pixels are split by LIBXSMM
           "N3 C256 K64 H14 R3 ph1",                 //
           "N2 C64 K32 H15 sh2",                     // stride, odd input
           "N2 C16 K32 H14 R3 sh2 ph1",              //
           "N1 C3 K64 H32 R7 sh2 ph3",               // the first layer
           "N2 C3 K16 H33 R7 sh2 ph3",               //
           "N3 C5 K7 H9 R3 ph1",                     // odd C and K
           "N2 C70 K33 H8",                          //
           "N1 C13 K67 H11 R5 ph2",                  //
           "N2 C8 K8 H12 W7 R3 S5 sh1 sw2 ph0 pw3",  // nothing square
           "N2 C8 K8 H5 W9 R1 S3 ph0 pw1",           //
           "N3 C16 K16 H6 R2 sh3 ph3",               // taps that see nothing but padding
           "N2 C128 K576 H13 sh2",                   // LIBXSMM drops the stride into its scratch
           "N2 C1024 K512 H7",                       // LIBXSMM splits over K
           "N2 C512 K512 H7 R3 ph1",                 // LIBXSMM permutes the filters
           "N1 C2048 K512 H7",                       //
       }) {
    const Case c(parse_conv_problem(text));
    for (const int threads : {1, 2, 3}) {
      ASSERT_EQ(contender->unsupported(c.problem, {threads}), std::nullopt) << text;
      EXPECT_TRUE(is_exact(*contender, c, {threads})) << text << " with " << threads << " threads";
    }
  }
}

TEST_P(ConvBaseline, IsExactWithEveryEpilogueOrRefusesIt) {
  for (const char* epilogue :
       {"bias", "residual", "relu", "bias+relu", "bias+residual", "residual+relu", "bias+residual+relu"}) {
    for (const char* sizes : {"N2 C16 K32 H9 R3 ph1 ", "N1 C5 K7 H6 ", "N2 C3 K16 H17 R7 sh2 ph3 "}) {
      const Case c(parse_conv_problem(std::string(sizes) + epilogue));
      if (contender->unsupported(c.problem, {2})) {
        EXPECT_NE(contender->unsupported(c.problem, {2})->find("epilogue must be none"), std::string::npos);
      } else {
        EXPECT_TRUE(is_exact(*contender, c, {2})) << to_string(c.problem);
      }
    }
  }
}

TEST_P(ConvBaseline, IsExactOnRandomProblems) {
  const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
  const bool right = rc::check([&] {
    ConvProblem p;
    p.N = in(1, 4);
    p.C = in(1, 70);
    p.K = in(1, 70);
    p.R = in(1, 4);
    p.S = in(1, 4);
    p.pad_h = in(0, 3);
    p.pad_w = in(0, 3);
    p.H = in(std::max<std::int64_t>(1, p.R - 2 * p.pad_h), 12);
    p.W = in(std::max<std::int64_t>(1, p.S - 2 * p.pad_w), 12);
    p.stride_h = in(1, 3);
    p.stride_w = in(1, 3);
    p.validate();
    const Resources resources{static_cast<int>(in(1, 3))};
    RC_PRE(!contender->unsupported(p, resources));
    RC_ASSERT(is_exact(*contender, Case(p), resources));
  });
  EXPECT_TRUE(right);
}

TEST_P(ConvBaseline, SaysWhatItIs) {
  EXPECT_FALSE(contender->name().empty());
  EXPECT_FALSE(contender->backend().empty());
  EXPECT_FALSE(contender->version().empty());
  const Case c(parse_conv_problem("C16 K16 H4"));
  omp_set_num_threads(1);
  const auto prepared = contender->prepare(c.problem, c.tensors(), {1});
  EXPECT_FALSE(prepared->implementation().empty());
  EXPECT_FALSE(prepared->isa().empty());
}

std::vector<Factory> built() {
  std::vector<Factory> result;
  for (const Factory& factory : factories) {
    if (!factory.make()->version().empty()) result.push_back(factory);
  }
  return result;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvBaseline);
INSTANTIATE_TEST_SUITE_P(Libraries, ConvBaseline, testing::ValuesIn(built()),
                         [](const auto& test) { return test.param.name; });

TEST(LibxsmmDnnConv, RefusesWhatTheLibraryGetsWrong) {
  const auto contender = make_libxsmm_dnn_conv();
  if (contender->version().empty()) GTEST_SKIP() << "built without LIBXSMM";
  const auto reason = [&](const char* text) {
    return contender->unsupported(parse_conv_problem(text), {1}).value_or("");
  };
  EXPECT_NE(reason("C1031 K16 H4").find("1024 pointers"), std::string::npos);
  EXPECT_NE(reason("C16 K16 H40 R33").find("1024 pointers"), std::string::npos);
  EXPECT_NE(reason("C16 K16 H1 R3 ph1").find("single pixel"), std::string::npos);
  EXPECT_EQ(reason("C1021 K16 H4"), "");
}

TEST(IsExact, SeesAContenderThatWritesNothing) {
  class Wrong final : public ConvContender {
   public:
    std::string name() const override { return "wrong"; }
    std::string backend() const override { return "none"; }
    std::string version() const override { return "0"; }
    std::optional<std::string> unsupported(const ConvProblem&, const Resources&) const override { return {}; }
    std::unique_ptr<Prepared> prepare(const ConvProblem&, const ConvTensors&, const Resources&) const override {
      class Untouched final : public Prepared {
        void pack() override {}
        void run() override {}
        void unpack(float*) override {}
      };
      return std::make_unique<Untouched>();
    }
  };
  EXPECT_FALSE(is_exact(Wrong(), Case(parse_conv_problem("C2 K2 H2")), {1}));
}

}  // namespace
}  // namespace brickwork
