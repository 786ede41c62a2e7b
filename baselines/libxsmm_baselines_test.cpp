#ifdef BRICKWORK_HAS_LIBXSMM
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libxsmm.h>

#include "brgemm_baselines.hpp"
#include "conv_baselines.hpp"
#include "testing/exact.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

class WithoutCodeGenerator : public testing::Test {
 protected:
  WithoutCodeGenerator() { libxsmm_set_target_arch("generic"); }
  ~WithoutCodeGenerator() override { libxsmm_set_target_archid(archid_); }

  template <Operation Op>
  void expect_refused(const Contender<Op>& contender, const char* text) {
    const auto p = parse_problem<typename Op::Problem>(text);
    const Verdict verdict = verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::integers), 1);
    EXPECT_EQ(verdict.status, Status::unsupported) << contender.name;
    EXPECT_THAT(verdict.reason, HasSubstr("LIBXSMM generates no code here"));
  }

 private:
  int archid_ = libxsmm_get_target_archid();
};

TEST_F(WithoutCodeGenerator, EveryLibxsmmBaselineRefuses) {
  expect_refused(libxsmm_dnn_conv(), "C16 K16 H4");
  expect_refused(small_gemm_conv(), "C16 K16 H4");
  expect_refused(libxsmm_small_gemm(), "m4 n16 k4");
}

TEST(LibxsmmDnnConv, RefusesWhatTheLibraryGetsWrong) {
  const auto reason = [](const char* text) {
    const auto p = parse_problem<ConvProblem>(text);
    return verdict_on(libxsmm_dnn_conv(), p, make_checkable_test_data<ConvForwardOp>(p, Fill::integers), 1).reason;
  };
  EXPECT_THAT(reason("C1031 K16 H4"), HasSubstr("1024 pointers"));
  EXPECT_THAT(reason("C16 K16 H40 R33"), HasSubstr("1024 pointers"));
  EXPECT_THAT(reason("C16 K16 H1 R3 ph1"), HasSubstr("single pixel"));
  EXPECT_EQ(reason("C1021 K16 H4"), "");
}

}  // namespace
}  // namespace brickwork
#endif
