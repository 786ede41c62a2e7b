// The GPU libraries: exact in every precision if there is a GPU; otherwise each says in one sentence why it is absent.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/brgemm_baselines.hpp"
#include "baselines/conv_baselines.hpp"
#include "baselines/fc_baselines.hpp"
#include "baselines/rnn_baselines.hpp"
#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// Why the library is absent; empty if it is here.
template <Operation Op>
std::string absent(const Contender<Op>& contender) {
  const std::string& why = contender.library.absent;
  if (why.empty()) return "";
  EXPECT_THAT(why, AnyOf(HasSubstr("built without"), HasSubstr("no CUDA device"), HasSubstr("older than"),
                         HasSubstr("cannot be loaded"), HasSubstr("needs libcudart")));
  EXPECT_EQ(why.find('\n'), std::string::npos);
  EXPECT_EQ(prepare(contender, {}, {}, {1}).reason(), why);
  return why;
}

template <Operation Op, Precision kPrecision>
void expect_exact_in(Contender<Op> contender, std::span<const char* const> problems) {
  const bool inexact = contender.rounding > 0;
  const auto precise = in_precision<kPrecision>(std::move(contender));
  for (const char* text : problems) {
    using PreciseOp = InPrecision<Op, kPrecision>;
    const auto p = parse_problem<typename Op::Problem>(text);
    const auto data = make_checkable_test_data<PreciseOp>(p, Fill::integers);
    const Checked checked = check(precise, p, data, {1});
    if (inexact && checked.verdict.reason == "the library has no way to do this") continue;
    EXPECT_EQ(checked.verdict.status, Status::ok) << precise.name << " " << text << ": " << checked.verdict.reason;
    if (!checked.prepared) continue;
    EXPECT_THAT(checked.prepared->implementation(), HasSubstr("the best of "));
    EXPECT_THAT(checked.prepared->isa(), testing::StartsWith("sm_"));
  }
}

template <Operation Op>
void expect_exact_in_every_precision(Contender<Op> (*contender)(Precision), std::span<const char* const> problems) {
  expect_exact_in<Op, Precision::f32>(contender(Precision::f32), problems);
  expect_exact_in<Op, Precision::tf32>(contender(Precision::tf32), problems);
  expect_exact_in<Op, Precision::bf16>(contender(Precision::bf16), problems);
}

constexpr const char* kConvs[] = {"N2 C64 K32 H9 R3 ph1", "N3 C16 K24 H8 sh2", "N2 C8 K16 H17 R7 sh2 ph3"};
constexpr const char* kLeagues[] = {"tasks3 m128 n64 k32 batch3", "tasks2 m24 n8 k16"};
constexpr const char* kLayers[] = {"N24 C64 K32", "N8 C16 K40"};

class Cudnn : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = absent(cudnn_conv<ConvForwardOp>(Precision::f32)); !why.empty()) GTEST_SKIP() << why;
  }
};

class Cublaslt : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = absent(cublaslt_fc<FcForwardOp>(Precision::f32)); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(Cudnn, IsExactInEveryPassAndPrecision) {
  expect_exact_in_every_precision(cudnn_conv<ConvForwardOp>, kConvs);
  expect_exact_in_every_precision(cudnn_conv<ConvBackwardDataOp>, kConvs);
  expect_exact_in_every_precision(cudnn_conv<ConvWeightUpdateOp>, kConvs);
}

TEST_F(Cudnn, TransformsAreAboutRight) {
  expect_exact_in<ConvForwardOp, Precision::f32>(cudnn_conv_transforms<ConvForwardOp>(Precision::f32), kConvs);
}

TEST_F(Cublaslt, IsExactInEveryPassAndPrecision) {
  expect_exact_in_every_precision(cublaslt_fc<FcForwardOp>, kLayers);
  expect_exact_in_every_precision(cublaslt_fc<FcBackwardDataOp>, kLayers);
  expect_exact_in_every_precision(cublaslt_fc<FcWeightUpdateOp>, kLayers);
}

TEST_F(Cublaslt, IsExactForALeagueOfBrickCalls) { expect_exact_in_every_precision(cublaslt_brgemm, kLeagues); }

TEST_F(Cublaslt, FusesEpilogues) {
  constexpr const char* forward[] = {"N24 C64 K32 bias", "N24 C64 K32 relu", "N24 C64 K32 bias+residual+relu"};
  expect_exact_in_every_precision(cublaslt_fc<FcForwardOp>, forward);
  constexpr const char* backward[] = {"N24 C64 K32 residual"};
  expect_exact_in_every_precision(cublaslt_fc<FcBackwardDataOp>, backward);
  constexpr const char* update[] = {"N24 C64 K32 bias"};
  expect_exact_in_every_precision(cublaslt_fc<FcWeightUpdateOp>, update);
}

// Floats of 24 bits: a product in TF32 would be off by some thousandths.
template <Operation Op>
void expect_strict(const Contender<Op>& contender, const char* text) {
  const auto p = parse_problem<typename Op::Problem>(text);
  const Verdict verdict = check(contender, p, make_checkable_test_data<Op>(p, Fill::floats), {1}).verdict;
  EXPECT_EQ(verdict.status, Status::ok) << text << ": " << verdict.reason;
}

TEST_F(Cudnn, IsStrictInF32) { expect_strict(cudnn_conv<ConvForwardOp>(Precision::f32), "N2 C64 K64 H9 R3 ph1"); }

TEST_F(Cublaslt, IsStrictInF32) { expect_strict(cublaslt_fc<FcForwardOp>(Precision::f32), "N64 C512 K64"); }

template <class Test>
void for_each_recurrent_problem(const Test& test) {
  for (const char* cell : {"lstm", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const char* sizes : {"T5 N4 C6 K7", "T4 N8 C32 K64", "T3 N2 C4 L2"}) {
      for (const char* way : {"", " bidirectional"}) {
        for (const char* lengths : {"", " unequal"}) test(fmt::format("{} {}{}{}", sizes, cell, way, lengths));
      }
    }
  }
}

// Compares with the definition in f64, and also every result of a second run.
template <Operation Op>
void expect_strict_recurrent_layers() {
  for_each_recurrent_problem(
      [](const std::string& text) { expect_strict(cudnn_rnn<Op>(Precision::f32), text.c_str()); });
}

TEST_F(Cudnn, IsStrictInInferenceOfRecurrentLayers) { expect_strict_recurrent_layers<RnnInferenceOp>(); }
TEST_F(Cudnn, IsStrictInTrainingOfRecurrentLayers) { expect_strict_recurrent_layers<RnnForwardOp>(); }
TEST_F(Cudnn, IsStrictBackThroughTime) { expect_strict_recurrent_layers<RnnBackwardOp>(); }

// Each step rounds states to TF32. No ReLU: it would pass or stop some states because of that.
template <Operation Op>
void expect_about_right_in_tf32(const char* text) {
  const auto p = parse_problem<RnnProblem>(text);
  TestData data = make_checkable_test_data<Op>(p, Fill::floats);
  data.tolerance.value = 0.01;
  const Checked checked = check(cudnn_rnn<Op>(Precision::tf32), p, data, {1});
  EXPECT_EQ(checked.verdict.status, Status::ok) << text << ": " << checked.verdict.reason;
  ASSERT_TRUE(checked.prepared) << text;
  EXPECT_THAT(checked.prepared->implementation(), HasSubstr("the best of "));
  EXPECT_THAT(checked.prepared->isa(), testing::StartsWith("sm_"));
}

TEST_F(Cudnn, IsAboutRightForRecurrentLayersInTf32) {
  for (const char* text :
       {"T5 N16 C64 K128 lstm", "T5 N16 C64 lbr-gru bidirectional unequal", "T5 N8 C32 rnn-tanh L2"}) {
    expect_about_right_in_tf32<RnnInferenceOp>(text);
    expect_about_right_in_tf32<RnnForwardOp>(text);
    expect_about_right_in_tf32<RnnBackwardOp>(text);
  }
}

TEST(CudnnRnn, SaysWhyItIsAbsent) {
  absent(cudnn_rnn<RnnInferenceOp>(Precision::f32));
  absent(cudnn_rnn<RnnForwardOp>(Precision::tf32));
  absent(cudnn_rnn<RnnBackwardOp>(Precision::f32));
}

// Refuses before it looks for a device.
TEST(CudnnRnn, NamesWhatItLacks) {
  if (!cudnn_rnn<RnnForwardOp>(Precision::f32).prepare) GTEST_SKIP() << "built without cuDNN";
  const auto expect_lacks = [](const auto& contender, const char* text, const char* reason) {
    const auto prepared = contender.prepare(parse_problem<RnnProblem>(text), {}, {1});
    EXPECT_EQ(prepared.status(), Status::unsupported) << text;
    EXPECT_THAT(prepared.reason(), HasSubstr(reason));
  };
  expect_lacks(cudnn_rnn<RnnInferenceOp>(Precision::f32), "T3 N2 C4 gru", "must be lbr-gru");
  expect_lacks(cudnn_rnn<RnnForwardOp>(Precision::tf32), "T3 N2 C4 lstm reverse", "only in reverse");
  expect_lacks(cudnn_rnn<RnnBackwardOp>(Precision::bf16), "T3 N2 C4 lstm", "f32 and tf32 only");
}

}  // namespace
}  // namespace brickwork
