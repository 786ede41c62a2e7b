#include "experiments/harness/terminal/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::Not;

ProblemInfo problem(const std::string& name, int count, double flop) {
  ProblemInfo info;
  info.name = name;
  info.count = count;
  info.flop = info.least_flop = flop;
  return info;
}

// On a clock that the test sets.
class ProgressOutput : public testing::Test {
 protected:
  template <class Act>
  static std::string shown(Act act) {
    testing::internal::CaptureStdout();
    act();
    return testing::internal::GetCapturedStdout();
  }

  double now_ = 50;
  Progress progress_{2, false, [this] { return now_; }};
};

TEST_F(ProgressOutput, AProblemIsALineAndALineForEachResult) {
  now_ += 70;
  EXPECT_EQ(
      shown([&] {
        progress_.finished(problem("a", 3, 2e9), {{"ours", "ok", {5e-3, 1e-3, 2e-3}}, {"theirs", "absent", {}}}, 4e12);
      }),
      "[1/2] a  | 1:10 elapsed, about 1:10 left\n"
      "  ours                     1000.0 GFLOP/s  2.000 ms                         25 % of the loaded roof\n");
  now_ += 3730;
  EXPECT_EQ(shown([&] {
              progress_.finished(problem("b", 1, 8e9), {{"ours", "ok", {1}}}, 1e10);
            }),
            "[2/2] b  | 1:03:20 elapsed, about 0:00 left\n"
            "  ours                        8.0 GFLOP/s  1000 ms                          80 % of the loaded roof\n");
}

TEST_F(ProgressOutput, AResultHasTheIntervalOfItsMedianIfThereAreEnoughSamples) {
  EXPECT_THAT(shown([&] {
                progress_.finished(problem("a", 1, 2e9), {{"ours", "ok", {6e-3, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3}}}, 0);
              }),
              HasSubstr("GFLOP/s  3.500 ms (1.000 to 6.000) "));
}

TEST_F(ProgressOutput, TheSummaryIsTheTableOfSeveralProblems) {
  shown([&] {
    progress_.finished(problem("a", 3, 2e9), {{"ours", "ok", {2}}}, 4e9);
    progress_.finished(problem("b", 1, 8e9), {{"ours", "ok", {1}}}, 1e10);
  });
  EXPECT_EQ(shown([&] { progress_.summary(); }), "\n" + progress_.totals().table());
  Progress one(1, false, [] { return 0.0; });
  shown([&] { one.finished(problem("a", 3, 2e9), {{"ours", "ok", {2}}}, 4e9); });
  EXPECT_EQ(shown([&] { one.summary(); }), "") << "its result line says the same";
}

TEST_F(ProgressOutput, ABriefScreenHasNotesAndWarningsOnly) {
  Progress brief(2, true, [] { return 0.0; });
  EXPECT_EQ(shown([&] {
              brief.finished(problem("a", 1, 2e9), {{"ours", "ok", {2}}}, 4e9);
              brief.finished(problem("b", 1, 2e9), {{"ours", "ok", {2}}}, 4e9);
              brief.detail("a detail");
              brief.summary();
            }),
            "");
  EXPECT_FALSE(brief.totals().empty());
  EXPECT_EQ(shown([&] { brief.note("a note"); }), "a note\n");
}

TEST_F(ProgressOutput, AResultOfAnotherProcessHasAShareOfTheRoofThere) {
  Outcome elsewhere{.contender = "theirs", .status = "ok", .seconds = {1}, .limit = 2.5e9, .least_flop = 2e9};
  const std::string lines = shown([&] {
    progress_.finished(problem("a", 3, 2e9), {{"ours", "ok", {1}}, elsewhere}, 4e9);
  });
  EXPECT_THAT(lines, testing::ContainsRegex("ours  .* 50 % of the loaded roof\n  theirs .* 80 % of the loaded roof\n"));
  EXPECT_THAT(shown([&] { progress_.summary(); }), Not(HasSubstr("warning")));
  elsewhere.least_flop = 2.6e9;
  shown([&] { progress_.finished(problem("b", 3, 2.6e9), {elsewhere}, 4e9); });
  EXPECT_THAT(shown([&] { progress_.summary(); }), HasSubstr("warning: 1 result is above the loaded roof"));
}

TEST_F(ProgressOutput, WithoutTimesThereIsNoTable) {
  shown([&] { progress_.finished(problem("a", 1, 1e9), {{"ours", "failed", {}}}, 0); });
  EXPECT_TRUE(progress_.totals().empty());
  EXPECT_EQ(shown([&] { progress_.summary(); }), "");
}

TEST_F(ProgressOutput, ResultsAboveTheRoofAreOneWarningAtTheEnd) {
  const auto finish = [&](const char* name, double least_flop) {
    const Outcome ours{.contender = "ours", .status = "ok", .seconds = {1}, .least_flop = least_flop};
    shown([&] { progress_.finished(problem(name, 1, 9e9), {ours}, 4e9); });
    return shown([&] { progress_.summary(); });
  };
  EXPECT_THAT(finish("a", 4.1e9), Not(HasSubstr("warning")));
  EXPECT_THAT(finish("b", 4.2e9),
              HasSubstr("warning: 1 result is above the loaded roof, first ours on b: distrust this run\n"));
  EXPECT_THAT(finish("c", 4.2e9),
              HasSubstr("warning: 2 results are above the loaded roof, first ours on b: distrust this run\n"));
}

// A bandwidth-bound run counts bytes instead of flop, and its limit is the stream instead of the roof.
TEST_F(ProgressOutput, ABandwidthBoundRunShowsBytesAndTheStream) {
  Progress progress(
      2, false, [] { return 0.0; }, 1'000'000'000);
  const auto moved = [](const char* name, double bytes) {
    ProblemInfo info = problem(name, 1, 1e12);
    info.bound = Bound::bytes;
    info.bytes = bytes;
    return info;
  };
  EXPECT_EQ(shown([&] {
              progress.finished(moved("a", 8e9), {{"ours", "ok", {1}}}, 1e10);
            }),
            "[1/2] a  | 0:00 elapsed, about 0:00 left\n"
            "  ours                        8.0 GB/s  1000 ms                          80 % of the stream\n");
  EXPECT_THAT(shown([&] {
                progress.finished(moved("b", 1e9), {{"ours", "ok", {0.02}}}, 1e10);
              }),
              testing::AllOf(HasSubstr("[2/2] b (fits in the caches)  | "), HasSubstr("  500 % of the stream\n")));
  EXPECT_THAT(shown([&] {
                Progress(
                    1, false, [] { return 0.0; }, 1'000'000'000)
                    .finished(moved("c", 1e9 + 1), {}, 1e10);
              }),
              Not(HasSubstr("fits")));
  EXPECT_THAT(shown([&] { progress.summary(); }),
              testing::AllOf(HasSubstr("GB/s            ms       share of the stream\n"), Not(HasSubstr("warning"))));
}

}  // namespace
}  // namespace brickwork
