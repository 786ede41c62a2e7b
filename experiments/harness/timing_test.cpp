#include "timing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "machine.hpp"
#include "machine_peak.hpp"
#include "progress.hpp"

namespace brickwork {
namespace {

// A file of its own for every test: they run beside each other.
std::string json_file() {
  return testing::TempDir() + "/timing_test_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
}

TEST(Timing, GivesEverySampleOfEveryTask) {
  int short_calls = 0, long_calls = 0;
  const auto seconds = time_interleaved(
      {{"short/run", [&] { ++short_calls; }, 5, nullptr},
       {"long/run", [&] { ++long_calls, std::this_thread::sleep_for(std::chrono::milliseconds(1)); }, 2, nullptr}},
      0.002, json_file());
  ASSERT_EQ(seconds.size(), 2U);
  ASSERT_EQ(seconds[0].size(), 5U);
  ASSERT_EQ(seconds[1].size(), 2U);
  for (const double s : seconds[0]) EXPECT_GT(s, 0);
  for (const double s : seconds[1]) EXPECT_GE(s, 0.001);  // it slept that long
  EXPECT_GT(short_calls, long_calls);

  std::ifstream in(json_file());
  const auto kept = nlohmann::json::parse(in);
  EXPECT_TRUE(kept.contains("context"));
  EXPECT_GE(kept.at("benchmarks").size(), 7U);
}

TEST(Timing, PreparesEveryColdCallOutsideOfTheClock) {
  int prepared = 0, called = 0;
  const auto before = [&] { ++prepared, std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const auto seconds = time_interleaved({{"cold/run", [&] { ++called; }, 3, before}}, 1e-6, json_file());
  EXPECT_EQ(seconds.at(0).size(), 3U);
  EXPECT_GE(called, 3);
  EXPECT_EQ(prepared, called);
}

TEST(Timing, StartsAnewForEveryProblem) {
  for (int problem = 0; problem < 2; ++problem) {
    const auto seconds = time_interleaved({{"same/run", [] {}, 1, nullptr}}, 1e-4, json_file());
    EXPECT_EQ(seconds.at(0).size(), 1U);
  }
}

TEST(Timing, SaysThatTheRecordCannotBeWritten) {
  EXPECT_THROW(time_interleaved({{"any/run", [] {}, 1, nullptr}}, 1e-4, "/no/such/folder/x.json"), std::runtime_error);
}

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 8, 2}), 3);
}

TEST(MachinePeak, CountsItsWork) {
  const FmaPeak one(1), two(2);
  EXPECT_EQ(2 * one.flop(), two.flop());
  EXPECT_FALSE(one.isa().empty());
  one.run();
  StreamTriad triad(1, 0);
  triad.run();
  EXPECT_EQ(triad.bytes(), 12 * triad.flop());
  EXPECT_GE(machine().usable_cores, 1);
}

}  // namespace
}  // namespace brickwork
