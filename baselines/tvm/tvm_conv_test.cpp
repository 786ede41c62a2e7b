#include "baselines/tvm/tvm_conv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "baselines/contender/checker.hpp"
#include "baselines/tvm/python_script.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kThreads = 2;  // in all tests: TVM makes its threads once

class Tvm : public testing::Test {
 protected:
  void SetUp() override {
    tuning_.folder = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    tuning_.folder += "_by_tvm";
    fs::remove_all(tuning_.folder);
  }

  template <Operation Op>
  Checked checked(const char* text) {
    const auto p = parse_problem<typename Op::Problem>(text);
    return check(metaschedule::forward<Op>(tuning_), p, make_checkable_test_data<Op>(p, Fill::integers),
                 {.threads = kThreads});
  }

  // Puts `content` where the record of a problem's code is looked for.
  void keep(const char* text, const std::string& content) {
    tuning_.stopped = [] { return true; };  // only the folder is made
    EXPECT_THROW(metaschedule::tuned_code(parse_problem<ConvProblem>(text), kThreads, tuning_), std::runtime_error);
    for (const auto& file : fs::recursive_directory_iterator(tuning_.folder)) {
      if (file.path().extension() == ".log") std::ofstream(fs::path(file.path()).replace_extension(".json")) << content;
    }
  }

  metaschedule::Tuning tuning_{.folder = {}, .trials = 2};
};

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "it was taken";
}

// Padding, a stride, blocks of 8 and of 5 channels, all steps. A second run finds the code.
TEST_F(Tvm, TunesAConvolutionOnceAndIsRight) {
  constexpr const char* kProblem = "N2 C5 K24 H9 W8 R3 sh2 ph1 bias+residual+relu";
  const Checked first = checked<ConvForwardOp>(kProblem);
  EXPECT_EQ(first.verdict.reason, "");
  ASSERT_TRUE(first.prepared);
  EXPECT_EQ(first.prepared->implementation(), "NCHW5c, OIHW5i8o");
  EXPECT_THAT(first.prepared->plan(), testing::StartsWith("trials=2 tiles="));
  EXPECT_GT(*first.prepared->plan_seconds(), 0.1);

  tuning_.stopped = [] { return true; };  // tuning again would fail
  const Checked second = checked<ConvForwardOp>(kProblem);
  EXPECT_EQ(second.verdict.reason, "");
  ASSERT_TRUE(second.prepared);
  EXPECT_EQ(second.prepared->plan(), first.prepared->plan());
  EXPECT_EQ(second.prepared->plan_seconds(), first.prepared->plan_seconds());

  tuning_.trials = 3;
  EXPECT_THAT(checked<ConvForwardOp>(kProblem).verdict.reason, HasSubstr("tuning was interrupted"));
}

TEST_F(Tvm, TunesAFullyConnectedLayer) { EXPECT_EQ(checked<FcForwardOp>("N4 C32 K48").verdict.reason, ""); }

TEST_F(Tvm, RefusesCurves) {
  const Checked curve = checked<ConvForwardOp>("C16 K16 H4 sigmoid");
  EXPECT_EQ(curve.verdict.status, Status::unsupported);
  EXPECT_THAT(curve.verdict.reason, HasSubstr("the epilogue must be none, or some of bias, residual, relu"));
}

TEST_F(Tvm, RefusesARecordThatIsNone) {
  keep("C16 K16 H4", "no record");
  EXPECT_THAT(checked<ConvForwardOp>("C16 K16 H4").verdict.reason, HasSubstr("is no record of tuned code: delete"));
}

TEST_F(Tvm, SaysWhereCodeCannotBeKept) {
  std::ofstream(tuning_.folder) << "a file, not a folder";
  EXPECT_THAT(checked<ConvForwardOp>("C16 K16 H4").verdict.reason,
              HasSubstr("make its folder writable, or set XDG_CACHE_HOME"));
}

TEST(PythonScript, PassesOnTheLastLineOfAScriptThatFails) {
  const auto log = fs::path(testing::TempDir()) / "brickwork_tvm_test.log";
  EXPECT_EQ(
      refusal([&] { metaschedule::run_script("print('words')\nraise SystemExit('no luck')", "", {}, log, nullptr); }),
      "tuning failed: no luck (" + log.string() + ")");
}

TEST(NumberOfTrials, IsAWholeNumber) {
  EXPECT_EQ(metaschedule::number_of_trials(nullptr), 64);
  EXPECT_EQ(metaschedule::number_of_trials("1"), 1);
  for (const char* text : {"", "0", "-3", "many", "2.5", "100001", "99999999999999999999"}) {
    EXPECT_EQ(refusal([&] { metaschedule::number_of_trials(text); }),
              std::string("BRICKWORK_TVM_TRIALS is '") + text + "': it must be a whole number from 1 to 100000");
  }
}

}  // namespace
}  // namespace brickwork
