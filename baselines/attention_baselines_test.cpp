#include "baselines/attention_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

// Checks that outputs are within the operation's bound.
template <Operation Op>
void expect_right_attention(const Contender<Op>& contender) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const std::string sizes :
       {"T1 S2 N2 K3", "T3 S2 N2 K5", "T7 S9 N5 K33", "T20 S16 N3 K64", "T50 S50 N12 K256", "T30 S80 N3 K1024"}) {
    for (const std::string scale : {" scaled", " unscaled"}) {
      for (const std::string lengths : {" equal", " unequal"}) {
        const auto p = parse_problem<AttentionProblem>(sizes + scale + lengths);
        const TestData data = make_checkable_test_data<Op>(p, Fill::floats);
        for (const int threads : {1, 3}) {
          EXPECT_EQ(verdict_on(contender, p, data, threads).reason, "") << to_string(p) << " " << threads;
        }
      }
    }
  }
}

TEST(AttentionBaselines, OnednnForwardIsRight) { expect_right_attention(onednn_attention_forward()); }
TEST(AttentionBaselines, OnednnBackwardIsRight) { expect_right_attention(onednn_attention_backward()); }
TEST(AttentionBaselines, OpenblasForwardIsRight) { expect_right_attention(openblas_attention_forward()); }
TEST(AttentionBaselines, OpenblasBackwardIsRight) { expect_right_attention(openblas_attention_backward()); }

// The comparison must notice a contender that ignores the lengths.
TEST(AttentionBaselines, IgnoredLengthsAreNoticed) {
  auto wrong = openblas_attention_forward();
  if (!wrong.library.absent.empty()) GTEST_SKIP() << wrong.library.absent;
  wrong.prepare = [prepare = wrong.prepare](AttentionProblem p, const PlainTensors& in, const Resources& r) {
    p.lengths = SequenceLengths::equal;
    return prepare(p, in, r);
  };
  const auto p = parse_problem<AttentionProblem>("T3 S5 N4 K6 unequal");
  const Verdict verdict = verdict_on(wrong, p, make_checkable_test_data<AttentionForwardOp>(p, Fill::floats), 1);
  EXPECT_THAT(verdict.reason, testing::HasSubstr("outputs in context are wrong"));
}

}  // namespace
}  // namespace brickwork
