#ifdef BRICKWORK_HAS_LIBXSMM
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libxsmm.h>

#include "baselines/brgemm_baselines.hpp"
#include "baselines/conv_baselines.hpp"
#include "baselines/fc_baselines.hpp"
#include "baselines/rnn_baselines.hpp"
#include "baselines/testing/exact.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

// Sets LIBXSMM_TARGET during a test.
class Target {
 public:
  explicit Target(const char* name) { libxsmm_set_target_arch(name); }
  ~Target() { libxsmm_set_target_archid(before_); }

 private:
  int before_ = libxsmm_get_target_archid();
};

template <Operation Op>
std::string reason_of(const Contender<Op>& contender, const char* text, int threads = 1) {
  const auto p = parse_problem<typename Op::Problem>(text);
  return verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::integers), threads).reason;
}

template <Operation Op>
std::string floats_reason_of(const Contender<Op>& contender, const char* text) {
  const auto p = parse_problem<typename Op::Problem>(text);
  return verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::floats), 2).reason;
}

template <Operation Op>
void expect_refused(const Contender<Op>& contender, const char* text, const char* reason) {
  const auto p = parse_problem<typename Op::Problem>(text);
  const Verdict verdict = verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::integers), 1);
  EXPECT_EQ(verdict.status, Status::unsupported) << contender.name;
  EXPECT_THAT(verdict.reason, HasSubstr(reason)) << contender.name;
}

TEST(Libxsmm, IsRefusedForTargetsThatDoNotRunHere) {
  const std::pair<const char*, const char*> cases[] = {
      {"generic", "LIBXSMM generates no code for its target 'generic'"},
      {"x86", "LIBXSMM generates no code for its target 'x86'"},
      {"knm", "'knm' is more than this CPU"},  // no Xeon Phi runs these tests
      {"900", "is more than this CPU"},        // LIBXSMM takes numbers, too; this one is above all of its CPUs
  };
  for (const auto& [name, reason] : cases) {
    const Target target(name);
    expect_refused(libxsmm_dnn_conv(), "C16 K16 H4", reason);
    expect_refused(small_gemm_conv(), "C16 K16 H4", reason);
    expect_refused(libxsmm_dnn_conv_backward_data(), "C16 K16 H4", reason);
    expect_refused(libxsmm_dnn_conv_weight_update(), "C16 K16 H4", reason);
    expect_refused(libxsmm_dnn_fc_forward(), "C16 K16", reason);
    expect_refused(libxsmm_dnn_fc_backward_data(), "C16 K16", reason);
    expect_refused(libxsmm_dnn_fc_weight_update(), "C16 K16", reason);
    expect_refused(libxsmm_dnn_rnn_forward(), "T2 N4 C16", reason);
    expect_refused(libxsmm_dnn_rnn_backward(), "T2 N4 C16", reason);
    expect_refused(libxsmm_small_gemm(), "m4 n16 k4", reason);
    const auto brick = make_brgemm({.m = 4, .n = 16, .k = 4, .lda = 4, .ldb = 16, .ldc = 16}, {}, Backend::libxsmm);
    EXPECT_EQ(brick.status(), Status::unsupported);
    EXPECT_THAT(brick.reason(), HasSubstr(reason));
  }
}

TEST(LibxsmmDnnConv, RefusesWhatTheLibraryGetsWrong) {
  const auto reason = [](const char* text) { return reason_of(libxsmm_dnn_conv(), text); };
  EXPECT_THAT(reason("C1031 K16 H4"), HasSubstr("1024 pointers"));
  EXPECT_THAT(reason("C16 K16 H40 R33"), HasSubstr("1024 pointers"));
  EXPECT_THAT(reason("C16 K16 H1 R3 ph1"), HasSubstr("single pixel"));
  EXPECT_EQ(reason("C1021 K16 H4"), "");
  EXPECT_THAT(reason("C16 K16 H14 W56"), HasSubstr("first half of the output"));
  EXPECT_EQ(reason("C16 K16 H1 W56"), "");
  EXPECT_EQ(reason("C16 K16 H15 W56"), "");
  EXPECT_EQ(reason_of(libxsmm_dnn_conv(), "C16 K16 H14 W56", 2), "") << "other loops";
}

TEST(LibxsmmDnnConv, BackwardByDataRefusesWhatTheLibraryGetsWrong) {
  const auto reason = [](const char* text) { return reason_of(libxsmm_dnn_conv_backward_data(), text); };
  EXPECT_THAT(reason("C16 K1031 H4"), HasSubstr("1024 pointers"));
  EXPECT_THAT(reason("C16 K16 H40 R33 ph16"), HasSubstr("1024 pointers"));
  EXPECT_THAT(reason("C16 K16 H1 R3 ph1"), HasSubstr("single pixel"));
  EXPECT_THAT(reason("C16 K16 H14 W56"), HasSubstr("first half of the output"));
  EXPECT_EQ(reason("C16 K1021 H4"), "");
  EXPECT_EQ(reason("C16 K16 H40 R33"), "") << "the other loops hold no pointers";
}

TEST(LibxsmmDnnConv, WeightUpdateRefusesWhatTheLibraryGetsWrong) {
  const auto reason = [](const char* text, int threads) {
    return reason_of(libxsmm_dnn_conv_weight_update(), text, threads);
  };
  EXPECT_THAT(reason("N2 C4 K4 H1030 W2", 1), HasSubstr("1024 pointers"));
  EXPECT_THAT(reason("C4 K4 H40 sh2 sw1", 1), HasSubstr("must be the same"));
  EXPECT_THAT(reason("N2 C16 K16 H8 R3 ph1 sh2", 2), HasSubstr("as if the stride were 1"));
  EXPECT_THAT(reason("N2 C16 K16 H7 W1 R3 ph1", 2), HasSubstr("more than one pixel"));
  EXPECT_THAT(reason("N2 C16 K16 H1 W7 R3 ph1", 2), HasSubstr("more than one pixel"));
  EXPECT_EQ(reason("N2 C16 K16 H8 R3 ph1 sh2", 1), "") << "only where there are as many threads as images";
  EXPECT_THAT(reason("C4 K4 H7 W56", 1), HasSubstr("by twos"));
  EXPECT_THAT(reason("C4 K4 H8 W112 sh2", 1), HasSubstr("by twos"));
  EXPECT_THAT(reason("C4 K4 H8 W56 R1 S3 ph0 pw1", 1), HasSubstr("by twos"));
  EXPECT_EQ(reason("C4 K4 H8 W56", 1), "");
  EXPECT_THAT(reason("C4 K2048 H13 sh2", 1), HasSubstr("drops the stride"));
  EXPECT_THAT(reason("C4 K2048 H14 W24 sh2", 1), HasSubstr("drops the stride"));
  EXPECT_EQ(reason("C4 K2048 H14 sh2", 1), "");
}

// Images times weights would need 2 GB of scratch or more.
TEST(LibxsmmDnnConv, WeightUpdateRefusesMoreWeightsThanTheLibraryCounts) {
  const auto p = parse_problem<ConvProblem>("N1024 C2048 K2048 H1");
  const auto prepared = prepare(libxsmm_dnn_conv_weight_update(), p, {}, {1});
  EXPECT_EQ(prepared.status(), Status::unsupported);
  EXPECT_THAT(prepared.reason(), HasSubstr("up to 2^31"));
}

TEST(LibxsmmDnnFc, RefusesBlocksThatTheLibraryCannotCount) {
  const auto prepared = prepare(libxsmm_dnn_fc_weight_update(), parse_problem<FcProblem>("C8388608 K1"), {}, {1});
  EXPECT_EQ(prepared.status(), Status::unsupported);
  EXPECT_THAT(prepared.reason(), HasSubstr("below 2^31"));
}

// The library has other loops there.
TEST(LibxsmmDnnRnn, IsRightWithoutAvx512) {
  const Target target("hsw");
  const auto expect_right = [](const auto& contender, const char* text) {
    EXPECT_EQ(floats_reason_of(contender, text), "") << text;
  };
  for (const char* cell : {"T3 N6 C32 K64 lstm", "T3 N6 C32 K64 gru", "T3 N6 C32 K64 rnn-tanh"}) {
    expect_right(libxsmm_dnn_rnn_forward(), cell);
  }
  expect_right(libxsmm_dnn_rnn_backward(), "T3 N6 C32 K64 lstm");
  expect_right(libxsmm_dnn_rnn_backward_data(), "T3 N6 C32 K64 gru");
  EXPECT_THAT(floats_reason_of(libxsmm_dnn_rnn_weight_update(), "T3 N6 C32 K64 rnn-relu"), HasSubstr("no AVX-512"));
}

}  // namespace
}  // namespace brickwork
#endif
