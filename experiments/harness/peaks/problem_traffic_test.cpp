#include "experiments/harness/peaks/problem_traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/harness/rows/rows.hpp"

namespace brickwork {
namespace {

ProblemInfo bytes_and_flop(double bytes, double flop, Rereads rereads = {}) {
  ProblemInfo info;
  info.bytes = bytes;
  info.flop = flop;
  info.rereads = rereads;
  return info;
}

// A problem exactly as large as L2 fits.
TEST(MayWaitForMemory, IsTrueOnlyForProblemsLargerThanL2) {
  EXPECT_FALSE(may_wait_for_memory(bytes_and_flop(1000, 0), 1001));
  EXPECT_FALSE(may_wait_for_memory(bytes_and_flop(1000, 0), 1000));
  EXPECT_TRUE(may_wait_for_memory(bytes_and_flop(1000, 0), 999));
  EXPECT_FALSE(may_wait_for_memory(bytes_and_flop(1000, 0), 0)) << "of unknown size";
}

TEST(MayWaitForMemory, IsTrueOnlyForFewFlopsPerByteRead) {
  EXPECT_TRUE(may_wait_for_memory(bytes_and_flop(1000, 15'999), 1));
  EXPECT_FALSE(may_wait_for_memory(bytes_and_flop(1000, 16'000), 1));
  const Rereads thrice{.bytes = 100, .times = 3};
  EXPECT_TRUE(may_wait_for_memory(bytes_and_flop(1000, 20'799, thrice), 1));
  EXPECT_FALSE(may_wait_for_memory(bytes_and_flop(1000, 20'800, thrice), 1));
}

// A recurrence reads its weights at each step. The reading that it is compared with does, too, and its row counts that.
TEST(ReadingOf, RereadsAsOftenAsTheProblem) {
  const auto recurrent = bytes_and_flop(4000, 0, {.bytes = 1200, .times = 7});
  MemoryTraffic reading = reading_of(recurrent, 2);
  std::ranges::fill(reading.read(), 1.0F);
  const float floats = reading.run();
  EXPECT_EQ(floats, 1000 + 7 * 300);
  EXPECT_EQ(reading.written().size(), 0U);
  EXPECT_EQ(read_row({}, recurrent, reading).bytes, 4.0 * floats);
  EXPECT_EQ(reading_of(bytes_and_flop(4000, 0), 2).read().size(), 1000U);
}

TEST(MovingOf, WritesAsManyBytesAsTheProblem) {
  auto copy = bytes_and_flop(4000, 0);
  copy.bytes_written = 1600;
  MemoryTraffic moving = moving_of(copy, 2);
  EXPECT_EQ(moving.read().size(), 600U);
  EXPECT_EQ(moving.written().size(), 400U);
  EXPECT_EQ(traffic_row({}, copy, moving).bytes, 4000);
}

}  // namespace
}  // namespace brickwork
