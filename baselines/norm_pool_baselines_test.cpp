// The baselines of batch normalisation and pooling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "baselines/batch_norm_baselines.hpp"
#include "baselines/pool_baselines.hpp"
#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

// Checks that outputs are within the operation's bound; a refusal with a reason may be allowed.
template <Operation Op>
std::string fault_of(const Contender<Op>& contender, const char* text, bool may_refuse = false) {
  const auto p = parse_problem<typename Op::Problem>(text);
  const TestData data = make_checkable_test_data<Op>(p, Fill::floats);
  for (const int threads : {1, 2, 3}) {
    const Verdict verdict = verdict_on(contender, p, data, threads);
    if (verdict.status == Status::unsupported && may_refuse && !verdict.reason.empty()) continue;
    if (verdict.status != Status::ok) return std::string(text) + ": " + verdict.reason;
  }
  return {};
}

constexpr const char* kNormProblems[] = {"N2 C64 H14", "N3 C32 H7 relu", "N5 C70 H9 W4 relu",
                                         "N1 C16 H28", "N4 C3 H5",       "N2 C256 H8 relu"};
constexpr const char* kResidualNorms[] = {"N2 C64 H14 residual+relu", "N3 C40 H5 residual+relu"};

template <Operation Op>
void expect_right_norm(const Contender<Op>& contender) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const char* text : kNormProblems) EXPECT_EQ(fault_of(contender, text), "");
  for (const char* text : kResidualNorms) EXPECT_EQ(fault_of(contender, text, true), "");
}

TEST(BatchNormBaselines, OnednnForwardIsRight) { expect_right_norm(onednn_batch_norm()); }
TEST(BatchNormBaselines, OnednnInferenceIsRight) { expect_right_norm(onednn_batch_norm_inference()); }
TEST(BatchNormBaselines, OnednnBackwardIsRight) { expect_right_norm(onednn_batch_norm_backward()); }

constexpr const char* kPoolProblems[] = {
    "N2 C64 H112 R3 sh2 ph1", "N3 C512 H7 R7 average",          "N2 C20 H9 W8 R2 S3 sh2 ph1 pw2",
    "N5 C16 H8 R2 sh2",       "N1 C3 H7 R3 ph1 average",        "N2 C40 H11 R4 sh3 ph2 average-padded",
    "N2 C16 H10 R2 sh3",      "N1 C16 H6 R3 sh2 average-padded"};

template <Operation Op>
void expect_right_pool(const Contender<Op>& contender) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const char* text : kPoolProblems) EXPECT_EQ(fault_of(contender, text), "");
}

TEST(PoolBaselines, OnednnForwardIsRight) { expect_right_pool(onednn_pool()); }
TEST(PoolBaselines, OnednnBackwardIsRight) { expect_right_pool(onednn_pool_backward()); }

// The comparison must notice a contender of another operation.
TEST(PoolBaselines, AWrongPassIsNoticed) {
  auto wrong = onednn_pool();
  if (!wrong.library.absent.empty()) GTEST_SKIP() << wrong.library.absent;
  wrong.prepare = [](PoolProblem p, const PlainTensors& in, const Resources& r) {
    p.kind = PoolKind::average;
    return onednn_pool().prepare(p, in, r);
  };
  EXPECT_THAT(fault_of(wrong, "N2 C16 H10 R2 sh2"), testing::HasSubstr("outputs in dst are wrong"));
}

}  // namespace
}  // namespace brickwork
