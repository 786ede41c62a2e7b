#ifdef BRICKWORK_HAS_LIBXSMM
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libxsmm.h>

#include "brgemm.hpp"
#include "brgemm_baselines.hpp"
#include "conv_baselines.hpp"
#include "testing/exact.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

// LIBXSMM_TARGET for the time of a test.
class Target {
 public:
  explicit Target(const char* name) { libxsmm_set_target_arch(name); }
  ~Target() { libxsmm_set_target_archid(before_); }

 private:
  int before_ = libxsmm_get_target_archid();
};

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
      {"900", "is more than this CPU"},        // LIBXSMM takes numbers, too; this is above all of its CPUs
  };
  for (const auto& [name, reason] : cases) {
    const Target target(name);
    expect_refused(libxsmm_dnn_conv(), "C16 K16 H4", reason);
    expect_refused(small_gemm_conv(), "C16 K16 H4", reason);
    expect_refused(libxsmm_small_gemm(), "m4 n16 k4", reason);
    const auto brick = make_brgemm({.m = 4, .n = 16, .k = 4, .lda = 4, .ldb = 16, .ldc = 16}, {}, Backend::libxsmm);
    EXPECT_EQ(brick.status(), Status::unsupported);
    EXPECT_THAT(brick.reason(), HasSubstr(reason));
  }
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
