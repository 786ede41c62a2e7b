#include "experiments/harness/run/timing.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "experiments/harness/peaks/cache_evictor.hpp"
#include "experiments/harness/testing/json_file.hpp"

namespace brickwork {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using testing::MatchesRegex;

// Each test has its own file, because tests run at the same time.
std::string json_file() {
  return testing::TempDir() + "/timing_test_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
}

// A clock that only work moves, and a record: | for a reading of the clock, a letter for a call.
class Stage {
 public:
  Clock clock() {
    return [this] {
      record += '|';
      return now_;
    };
  }
  // The cost of a call by its number; untimed calls count.
  std::function<void()> work(char letter, std::function<microseconds(int)> cost) {
    return [=, this, call = 0]() mutable {
      record += letter;
      now_ += cost(call++);
    };
  }
  std::function<void()> work(char letter, microseconds cost) {
    return work(letter, [cost](int) { return cost; });
  }

  std::string record;

 private:
  std::chrono::steady_clock::time_point now_;
};

TEST(Timing, SecondsAreThoseOfOneCall) {
  Stage stage;
  const auto seconds =
      time_interleaved({{"short/run", stage.work('s', 10us), 3}, {"long/run", stage.work('l', 2ms), 2}}, 1e-3,
                       json_file(), stage.clock());
  for (const double s : seconds.at(0)) EXPECT_NEAR(s, 10e-6, 1e-12);
  for (const double s : seconds.at(1)) EXPECT_NEAR(s, 2e-3, 1e-12);
}

TEST(Timing, EverySampleHasItsOwnTime) {
  Stage stage;
  const auto rising = stage.work('a', [](int call) { return 100us * call; });
  const auto seconds = time_interleaved({{"rising/run", rising, 4}}, 1e-6, json_file(), stage.clock());
  ASSERT_EQ(stage.record, "a|a|a|a|a|a|a|a|a|a|");
  ASSERT_EQ(seconds.at(0).size(), 4U);
  for (int s = 0; s < 4; ++s) EXPECT_NEAR(seconds[0][s], 100e-6 * (2 * s + 3), 1e-12) << s;
}

TEST(Timing, WarmsUpUntimedAndDividesByTheNumberOfCalls) {
  Stage stage;
  time_interleaved({{"hot/run", stage.work('a', 60us), 3}}, 1e-6, json_file(), stage.clock());
  EXPECT_EQ(stage.record,
            "a|a|"
            "a|a|"
            "a|a|"
            "a|a|");  // to find the length of a stretch, then three samples
}

TEST(Timing, ReadsTheClockOnlyAfterFiftyMicroseconds) {
  Stage stage;
  // The first call finds caches without its data, so its cost must not choose the number of calls.
  const auto short_work = stage.work('a', [](int call) { return call == 0 ? 1ms : 10us; });
  time_interleaved({{"short/run", short_work, 2}}, 1e-6, json_file(), stage.clock());
  EXPECT_EQ(stage.record,
            "a|a||aa||aaaa||aaaaaaaa|"
            "a|aaaaaaaa|"
            "a|aaaaaaaa|");
}

TEST(Timing, ASampleLastsAtLeastItsTime) {
  Stage stage;
  time_interleaved({{"short/run", stage.work('a', 25us), 4}}, 2e-3, json_file(), stage.clock());
  EXPECT_THAT(stage.record, MatchesRegex("a\\|a\\|\\|aa\\|(a(\\|aa\\|)+)+"));
  const auto kept = read_json(json_file());
  for (const auto& sample : kept.at("benchmarks")) {
    if (sample.at("run_type") != "iteration") continue;
    EXPECT_GE(sample.at("iterations").get<int>(), 40);
  }
}

TEST(Timing, InterleavesTheContenders) {
  Stage stage;
  time_interleaved({{"a/run", stage.work('a', 60us), 20}, {"b/run", stage.work('b', 60us), 20}}, 1e-6, json_file(),
                   stage.clock());
  EXPECT_THAT(stage.record, MatchesRegex("a\\|a\\|b\\|b\\|(a\\|a\\||b\\|b\\|){40}"));
  std::erase(stage.record, '|');
  const int changes = std::inner_product(stage.record.begin() + 1, stage.record.end(), stage.record.begin(), 0,
                                         std::plus(), std::not_equal_to());
  // A run without interleaving has at most 3 changes; random order has so few once in 10^9 runs.
  EXPECT_GT(changes, 3) << stage.record;
}

TEST(Timing, EvictsTheCachesUntimedBeforeEveryColdCall) {
  CacheEvictor evictor(1, Machine{});
  std::string record;  // readings of the clock (t), calls (c), and the number of evictions before each
  std::chrono::steady_clock::time_point now;
  const auto note = [&](char what) { record += fmt::format("{}{} ", what, evictor.walked()[0]); };
  const auto work = [&] { note('c'), now += 1us; };
  const auto clock = [&] { return note('t'), now; };
  const auto seconds = time_interleaved({{"cold/run", work, 3, std::ref(evictor)}}, 1e-7, json_file(), clock);
  EXPECT_EQ(record, "t1 c1 t1 t2 c2 t2 t3 c3 t3 ");
  for (const double s : seconds.at(0)) EXPECT_NEAR(s, 1e-6, 1e-12);
}

TEST(Timing, UsesADevicesOwnClock) {
  Stage stage;
  std::vector<std::int64_t> stretches;
  const auto device_seconds = [&](std::int64_t calls) {
    stretches.push_back(calls);
    return 20e-6 * static_cast<double>(calls);
  };
  const TimedTask task{.name = "device/run",
                       .work = stage.work('w', 1ms),  // to warm up
                       .samples = 3,
                       .device_seconds = device_seconds};
  const auto seconds = time_interleaved({task}, 1e-6, json_file(), stage.clock());
  EXPECT_EQ(seconds.at(0), (std::vector<double>{20e-6, 20e-6, 20e-6}));
  EXPECT_EQ(stretches, (std::vector<std::int64_t>{1, 2, 4, 4, 4, 4}));
  EXPECT_EQ(stage.record, "wwww");
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

  const auto kept = read_json(json_file());
  EXPECT_TRUE(kept.contains("context"));
  EXPECT_GE(kept.at("benchmarks").size(), 7U);
}

TEST(Timing, KeepsNothingFromTheProblemBefore) {
  for (int problem = 0; problem < 2; ++problem) {
    const auto seconds = time_interleaved({{"same/run", [] {}, 1, nullptr}}, 1e-4, json_file());
    EXPECT_EQ(seconds.at(0).size(), 1U);
  }
}

TEST(Timing, ReportsARecordThatCannotBeWritten) {
  EXPECT_THROW(time_interleaved({{"any/run", [] {}, 1, nullptr}}, 1e-4, "/no/such/folder/x.json"), std::runtime_error);
}

}  // namespace
}  // namespace brickwork
