#include "baselines/brgemm_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

std::vector<Contender<BrgemmOp>> brgemm_contenders() {
  std::vector<Contender<BrgemmOp>> contenders{libxsmm_small_gemm(), openblas_small_gemm(), onednn_batched_matmul()};
  std::erase_if(contenders, [](const auto& contender) { return !contender.library.absent.empty(); });
  return contenders;
}

TEST(BrgemmBaselines, AreExact) {
  for (const char* text : {"m1 n1 k1", "m28 n64 k64 batch16", "m7 n16 k64 batch9", "m6 n5 k3 batch7", "m64 n48 k32",
                           "m1 n70 k13 batch2", "m13 n1 k9 batch31", "m32 n32 k1 batch4"}) {
    const auto p = parse_problem<BrgemmProblem>(text);
    const TestData data = make_checkable_test_data<BrgemmOp>(p, Fill::integers);
    for (const auto& contender : brgemm_contenders()) EXPECT_TRUE(is_exact(contender, p, data, 1));
  }
}

TEST(BrgemmBaselines, RunOnTwoThreadsOrRefuse) {
  const auto p = parse_problem<BrgemmProblem>("m28 n64 k64 batch16");
  const TestData data = make_checkable_test_data<BrgemmOp>(p, Fill::integers);
  for (const auto& contender : brgemm_contenders()) {
    if (contender.name == "onednn-matmul") {
      EXPECT_TRUE(is_exact(contender, p, data, 2));
      continue;
    }
    const Verdict verdict = verdict_on(contender, p, data, 2);
    EXPECT_EQ(verdict.status, Status::unsupported) << contender.name;
    EXPECT_THAT(verdict.reason, testing::HasSubstr("one thread"));
  }
}

TEST(BrgemmBaselines, SayWhatTheyAre) {
  const auto p = parse_problem<BrgemmProblem>("m4 n16 k4");
  const TestData data = make_checkable_test_data<BrgemmOp>(p, Fill::integers);
  for (const auto& contender : brgemm_contenders()) {
    EXPECT_FALSE(contender.library.version.empty()) << contender.name;
    const Checked checked = check(contender, p, data, {1});
    ASSERT_TRUE(checked.prepared) << checked.verdict.reason;
    EXPECT_FALSE(checked.prepared->isa().empty()) << contender.name;
  }
}

}  // namespace
}  // namespace brickwork
