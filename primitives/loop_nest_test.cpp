#include "loop_nest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <set>
#include <tuple>

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<Loop> kLoops = {{.name = "n", .extent = 5},
                                  {.name = "kb", .extent = 3},
                                  {.name = "cb", .extent = 7, .reduction = true, .ranged = true}};

using Trip = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // n, kb, cb begin, cb end

std::vector<Trip> trips_of(std::string_view schedule) {
  std::vector<Trip> trips;
  LoopNest(kLoops, parse_loop_schedule(schedule)).run([&](const LoopRanges& at) {
    trips.emplace_back(at[0].begin, at[1].begin, at[2].begin, at[2].end);
  });
  return trips;
}

TEST(LoopNest, RunsInTheOrderOfTheSchedule) {
  const auto trips = trips_of("kb cb:4 n");
  ASSERT_EQ(trips.size(), 3u * 2 * 5);
  EXPECT_EQ(trips[0], Trip(0, 0, 0, 4));
  EXPECT_EQ(trips[1], Trip(1, 0, 0, 4));
  EXPECT_EQ(trips[5], Trip(0, 0, 4, 7));
  EXPECT_EQ(trips[10], Trip(0, 1, 0, 4));
}

TEST(LoopNest, BlocksALoopOnTwoLevels) {
  const auto trips = trips_of("n:2 kb n cb:7");
  EXPECT_EQ(trips[0], Trip(0, 0, 0, 7));
  EXPECT_EQ(trips[1], Trip(1, 0, 0, 7));
  EXPECT_EQ(trips[2], Trip(0, 1, 0, 7));
  EXPECT_EQ(trips[6], Trip(2, 0, 0, 7));
  EXPECT_EQ(trips.back(), Trip(4, 2, 0, 7));
  EXPECT_EQ(trips.size(), 15u);
}

// Every iteration exactly once, whatever the schedule and the threads; a reduction's parts in ascending order.
void expect_all_once(const std::vector<Loop>& loops, const std::string& text) {
  std::vector<std::atomic<int>> done(loops[0].extent * loops[1].extent * loops[2].extent);
  std::vector<std::atomic<std::int64_t>> reduced(loops[0].extent * loops[1].extent);
  std::atomic<bool> ordered = true;
  LoopNest(loops, parse_loop_schedule(text)).run([&](const LoopRanges& at) {
    const std::int64_t output = at[0].begin * loops[1].extent + at[1].begin;
    if (at[0].size() != 1 || at[1].size() != 1 || reduced[output] != at[2].begin) ordered = false;
    reduced[output] = at[2].end;
    for (std::int64_t c = at[2].begin; c < at[2].end; ++c) ++done[output * loops[2].extent + c];
  });
  EXPECT_TRUE(ordered) << text;
  for (const auto& count : done) ASSERT_EQ(count, 1) << text;
}

TEST(LoopNest, EveryIterationOnceForRandomLegalSchedules) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Loop> loops = kLoops;
    for (Loop& loop : loops) loop.extent = *rc::gen::inRange(1, 9);
    // Random levels: each loop on one to three levels with falling steps, shuffled, then a random run of neighbours
    // in braces as far as they are legal.
    std::vector<std::size_t> order;
    for (std::size_t l = 0; l < loops.size(); ++l) order.insert(order.end(), *rc::gen::inRange(1, 4), l);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    std::vector<std::size_t> left(loops.size());
    for (std::size_t l : order) ++left[l];
    LoopSchedule schedule;
    for (std::size_t l : order) {
      const std::int64_t least = static_cast<std::int64_t>(left[l]--);
      schedule.levels.push_back({std::string(loops[l].name), loops[l].ranged || least > 1 ? least * 2 - 1 : 1, false});
    }
    std::set<std::string> used;
    for (std::size_t i = *rc::gen::inRange<std::size_t>(0, order.size()); i < order.size(); ++i) {
      auto& level = schedule.levels[i];
      if (level.name == "cb" || !used.insert(level.name).second) break;
      level.parallel = true;
    }
    RC_ASSERT(parse_loop_schedule(to_string(schedule)) == schedule);
    expect_all_once(loops, to_string(schedule));
  }));
}

TEST(LoopNest, TextRoundTrip) {
  for (const char* text : {"n kb cb", "{n kb} cb:4", "kb {n} cb", "n:3 {kb n} cb:2 cb", "{n}  kb cb:7"}) {
    const auto schedule = parse_loop_schedule(text);
    EXPECT_EQ(parse_loop_schedule(to_string(schedule)), schedule);
  }
  EXPECT_EQ(to_string(parse_loop_schedule("{n  kb} cb:4")), "{n kb} cb:4");
}

TEST(LoopNest, ParserPointsAtTheOffendingCharacter) {
  const auto fails = [](const char* text, const char* what) {
    EXPECT_THAT([&] { parse_loop_schedule(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what))) << text;
  };
  fails("n K", "expected a loop's name");
  fails("n K", "\n    ^");  // two columns of margin, then under the third character
  fails("{n kb cb", "never closed");
  fails("n} kb", "'}' without '{'");
  fails("{n} {kb}", "a second '{'");
  fails("n:0", "a step must be");
  fails("n:x", "a step must be");
  fails("n:99999999999999999999", "a step must be");
  fails("", "names no loop");
}

TEST(LoopNest, RefusesIllegalSchedules) {
  const auto fails = [](const char* text, const char* what) {
    EXPECT_THAT([&] { LoopNest(kLoops, parse_loop_schedule(text)); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(what)))
        << text;
  };
  fails("n cb", "'kb' is missing");
  fails("n kb cb oj", "no loop 'oj'; the loops are n, kb, cb");
  fails("{n cb} kb", "'cb' adds to one output");
  fails("n:2 kb cb", "innermost level of 'n' must have step 1");
  fails("n:2 n:2 kb cb", "smaller step");
  fails("n kb cb n:4", "smaller step");
  fails("{n:2 n} kb cb", "parallel on one level only");
  LoopSchedule apart{{{"n", 1, true}, {"cb", 1, false}, {"kb", 1, true}}};
  EXPECT_THAT([&] { LoopNest(kLoops, apart); }, ThrowsMessage<std::invalid_argument>(HasSubstr("neighbours")));
}

}  // namespace
}  // namespace brickwork
