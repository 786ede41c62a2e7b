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

// With a clock that the test drives.
class ProgressOutput : public testing::Test {
 protected:
  template <class Act>
  static std::string shown(Act act) {
    testing::internal::CaptureStdout();
    act();
    return testing::internal::GetCapturedStdout();
  }

  double now_ = 50;
  Progress progress_{2, [this] { return now_; }};
};

TEST_F(ProgressOutput, ALineIsTheMedianRateTheShareOfTheRoofAndTheTime) {
  now_ += 70;
  EXPECT_EQ(shown([&] {
              progress_.finished(problem("a", 3, 2e9), {{"ours", "ok", {5, 1, 2}}, {"theirs", "absent", {}}}, 4e9);
            }),
            "[1/2] a  ours 1.0 (25%)  theirs absent  | 1:10 elapsed, about 1:10 left\n");
  now_ += 3730;
  EXPECT_EQ(shown([&] {
              progress_.finished(problem("b", 1, 8e9), {{"ours", "ok", {1}}}, 1e10);
            }),
            "[2/2] b  ours 8.0 (80%)  | 1:03:20 elapsed, about 0:00 left\n");
}

// Work over time, each weighted by how often the network has the problem; not a mean of rates or of shares.
TEST_F(ProgressOutput, TheSummaryIsTheNetworks) {
  shown([&] {
    progress_.finished(problem("a", 3, 2e9), {{"ours", "ok", {2}}, {"theirs", "ok", {1}}}, 4e9);
    progress_.finished(problem("b", 1, 8e9), {{"ours", "ok", {1}}, {"theirs", "unsupported", {}}}, 1e10);
  });
  EXPECT_EQ(shown([&] { progress_.summary(); }),
            "\nall problems, weighted by count; the roof is FMAs with a register tile's loads from L1:\n"
            "contender              GFLOP/s   % of roof\n"
            "ours                       2.0        41.2\n"  // 3 * 2 + 8 in 3 * 2 + 1 s, at the roof 3 * 8 + 10
            "theirs                     2.0        50.0   (1 of 2 problems)\n");
}

TEST_F(ProgressOutput, WhatAnotherProcessMeasuredIsJudgedByItsOwnRoof) {
  Outcome elsewhere{.contender = "theirs", .status = "ok", .seconds = {1}, .limit = 2.5e9, .least_flop = 2e9};
  const std::string line = shown([&] {
    progress_.finished(problem("a", 3, 2e9), {{"ours", "ok", {1}}, elsewhere}, 4e9);
  });
  EXPECT_THAT(line, HasSubstr("  ours 2.0 (50%)  theirs 2.0 (80%)  "));
  EXPECT_THAT(line, Not(HasSubstr("warning")));
  EXPECT_THAT(shown([&] { progress_.summary(); }), HasSubstr("theirs                     2.0        80.0\n"));
  elsewhere.least_flop = 2.6e9;
  EXPECT_THAT(shown([&] { progress_.finished(problem("b", 3, 2.6e9), {elsewhere}, 4e9); }),
              HasSubstr("warning: theirs on b is above"));
}

TEST_F(ProgressOutput, NothingTimedHasNoSummary) {
  shown([&] { progress_.finished(problem("a", 1, 1e9), {{"ours", "failed", {}}}, 0); });
  EXPECT_FALSE(progress_.anything_timed());
  EXPECT_EQ(shown([&] { progress_.summary(); }), "");
}

TEST_F(ProgressOutput, WarnsOfWhatStandsAboveTheRoof) {
  const auto finish = [&](double least_flop) {
    const Outcome ours{.contender = "ours", .status = "ok", .seconds = {1}, .least_flop = least_flop};
    return shown([&] { progress_.finished(problem("a", 1, 9e9), {ours}, 4e9); });
  };
  EXPECT_THAT(finish(4.1e9), Not(HasSubstr("warning")));
  EXPECT_THAT(finish(4.2e9), HasSubstr("\nwarning: ours on a is above the loaded roof: distrust this run\n"));
}

// What the memory limits: bytes in place of flop, the stream in place of the roof.
TEST_F(ProgressOutput, OfABandwidthBoundRunShowsBytesAndTheStream) {
  Progress progress(
      2, [] { return 0.0; }, 1'000'000'000);
  const auto moved = [](const char* name, double bytes) {
    ProblemInfo info = problem(name, 1, 1e12);
    info.bound = Bound::bytes;
    info.bytes = bytes;
    return info;
  };
  EXPECT_EQ(shown([&] {
              progress.finished(moved("a", 8e9), {{"ours", "ok", {1}}}, 1e10);
            }),
            "[1/2] a  ours 8.0 (80%)  | 0:00 elapsed, about 0:00 left\n");
  EXPECT_EQ(shown([&] {
              progress.finished(moved("b", 1e9), {{"ours", "ok", {0.02}}}, 1e10);
            }),
            "[2/2] b  ours 50.0 (500%)  (fits in the caches)  | 0:00 elapsed, about 0:00 left\n");
  EXPECT_THAT(shown([&] {
                Progress(
                    1, [] { return 0.0; }, 1'000'000'000)
                    .finished(moved("c", 1e9 + 1), {}, 1e10);
              }),
              Not(HasSubstr("fits")));
  EXPECT_EQ(shown([&] { progress.summary(); }),
            "\nall problems, weighted by count; the stream is STREAM's triad out of memory:\n"
            "contender                 GB/s % of stream\n"
            "ours                       8.8        88.2\n");
}

}  // namespace
}  // namespace brickwork
