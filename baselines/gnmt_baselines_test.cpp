#include "baselines/gnmt_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

// Checks that outputs are within the operation's bound.
Verdict gnmt_verdict(const Contender<GnmtOp>& contender, const std::string& text, int threads) {
  const auto p = parse_problem<GnmtProblem>(text);
  return verdict_on(contender, p, make_checkable_test_data<GnmtOp>(p, Fill::floats), threads);
}

TEST(GnmtBaselines, OnednnIsRight) {
  const auto contender = onednn_gnmt();
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const std::string sizes : {"T2 S3 N2 K5", "T5 S4 N5 K33", "T4 S6 N12 K64"}) {
    for (const std::string part : {" inference", " step"}) {
      for (const int threads : {1, 3}) {
        EXPECT_EQ(gnmt_verdict(contender, sizes + part, threads).reason, "") << sizes << part << " " << threads;
      }
    }
  }
  EXPECT_EQ(gnmt_verdict(contender, "T3 S4 N2 K5 unequal", 1).status, Status::unsupported);
}

}  // namespace
}  // namespace brickwork
