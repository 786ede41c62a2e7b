#include "conv_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "testing/exact.hpp"

namespace brickwork {

void PrintTo(const Contender<ConvForwardOp>& contender, std::ostream* out) { *out << contender.name; }

namespace {

class ConvBaseline : public testing::TestWithParam<Contender<ConvForwardOp>> {
 protected:
  const Contender<ConvForwardOp>& contender = GetParam();
};

TEST_P(ConvBaseline, IsExact) {
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
    const auto p = parse_problem<ConvProblem>(text);
    const TestData data = make_checkable_test_data<ConvForwardOp>(p, Fill::integers);
    for (const int threads : {1, 2, 3}) EXPECT_TRUE(is_exact(contender, p, data, threads));
  }
}

TEST_P(ConvBaseline, IsExactWithEveryEpilogueOrRefusesIt) {
  for (const char* epilogue :
       {"bias", "residual", "relu", "bias+relu", "bias+residual", "residual+relu", "bias+residual+relu"}) {
    for (const char* sizes : {"N2 C16 K32 H9 R3 ph1 ", "N1 C5 K7 H6 ", "N2 C3 K16 H17 R7 sh2 ph3 "}) {
      const auto p = parse_problem<ConvProblem>(std::string(sizes) + epilogue);
      const TestData data = make_checkable_test_data<ConvForwardOp>(p, Fill::integers);
      const Verdict verdict = verdict_on(contender, p, data, 2);
      if (verdict.status == Status::unsupported) {
        EXPECT_THAT(verdict.reason, testing::HasSubstr("epilogue must be none"));
      } else {
        EXPECT_TRUE(is_exact(contender, p, data, 2));
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
    const int threads = static_cast<int>(in(1, 3));
    const TestData data = make_test_data<ConvForwardOp>(p, Fill::integers, to_string(p));
    RC_PRE(!decides_nothing(data.expected));  // taps that see nothing but padding
    const Verdict verdict = verdict_on(contender, p, data, threads);
    RC_PRE(verdict.status != Status::unsupported);
    if (verdict.status != Status::ok) RC_FAIL(verdict.reason);
    RC_ASSERT(verdict.max_error == 0);
  });
  EXPECT_TRUE(right);
}

TEST_P(ConvBaseline, SaysWhatItIs) {
  EXPECT_FALSE(contender.library.name.empty());
  EXPECT_FALSE(contender.library.version.empty());
  const auto p = parse_problem<ConvProblem>("C16 K16 H4");
  const Checked checked = check(contender, p, make_checkable_test_data<ConvForwardOp>(p, Fill::integers), {1});
  ASSERT_TRUE(checked.prepared) << checked.verdict.reason;
  EXPECT_FALSE(checked.prepared->implementation().empty());
  EXPECT_FALSE(checked.prepared->isa().empty());
}

std::vector<Contender<ConvForwardOp>> conv_contenders() {
  std::vector<Contender<ConvForwardOp>> contenders{onednn_conv(), libxsmm_dnn_conv(), im2col_conv(), small_gemm_conv()};
  std::erase_if(contenders, [](const auto& contender) { return !contender.library.absent.empty(); });
  return contenders;
}

std::string test_name(const testing::TestParamInfo<Contender<ConvForwardOp>>& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvBaseline);
INSTANTIATE_TEST_SUITE_P(Libraries, ConvBaseline, testing::ValuesIn(conv_contenders()), test_name);

TEST(IsExact, SeesAContenderThatWritesNothing) {
  struct Untouched final : Prepared {
    void pack() override {}
    void run() override {}
    void unpack(PlainTensors&) override {}
  };
  const Contender<ConvForwardOp> wrong{
      .name = "wrong",
      .library = {"none", "0"},
      .prepare = [](const ConvProblem&, const PlainTensors&, const Resources&) -> Result<PreparedPtr> {
        return {std::make_unique<Untouched>()};
      }};
  const auto p = parse_problem<ConvProblem>("C2 K2 H2");
  EXPECT_FALSE(is_exact(wrong, p, make_checkable_test_data<ConvForwardOp>(p, Fill::integers), 1));
}

}  // namespace
}  // namespace brickwork
