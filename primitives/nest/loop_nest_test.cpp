#include "primitives/nest/loop_nest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <limits>
#include <set>
#include <tuple>

#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using Host = Kokkos::DefaultHostExecutionSpace;

const std::vector<Loop> kLoops = {{.name = "n", .extent = 5},
                                  {.name = "kb", .extent = 3},
                                  {.name = "cb", .extent = 7, .kind = LoopKind::reduction_in_copies, .ranged = true}};
enum { kLoopN, kLoopKb, kLoopCb };

Result<LoopNest> make(const std::vector<Loop>& loops, std::string_view schedule) {
  return LoopNest::make(loops, parse_loop_schedule(schedule));
}

using Trip = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // n, kb, cb begin, cb end

std::vector<Trip> trips_of(std::string_view schedule) {
  std::vector<Trip> trips;
  make(kLoops, schedule)->run(Host(), [&](const auto&, const LoopIndex& at) {
    trips.emplace_back(at[kLoopN].begin, at[kLoopKb].begin, at[kLoopCb].begin, at[kLoopCb].end);
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

// Counts the iterations that the body gets for one copy of one output (n, kb), and notes any error in them.
class Tally {
 public:
  explicit Tally(std::int64_t reduction) : reduction_(reduction) {}

  // The parts of one copy must follow each other in ascending order without a gap.
  void add(const LoopRange& part, bool first, bool last) {
    if (closed_ || first != (count_ == 0) || part.begin < end_ || (count_ > 0 && part.begin != end_)) wrong_ = true;
    end_ = part.end;
    closed_ = last;
    count_ += part.size();
  }
  bool whole() const { return !wrong_ && closed_ && count_ > 0; }

  // Whether the copies of one output have all its iterations.
  static bool complete(const std::vector<Tally>& copies) {
    std::int64_t count = 0;
    for (const Tally& copy : copies) {
      if (!copy.whole()) return false;
      count += copy.count_;
    }
    return count == copies.front().reduction_;
  }

 private:
  std::int64_t reduction_, count_ = 0, end_ = 0;
  bool closed_ = false, wrong_ = false;
};

TEST(Tally, FindsMissingDoubledAndMisorderedParts) {
  const auto complete = [](std::initializer_list<std::tuple<LoopRange, bool, bool>> parts) {
    Tally tally(7);
    for (const auto& [part, first, last] : parts) tally.add(part, first, last);
    return Tally::complete({tally});
  };
  EXPECT_TRUE(complete({{{0, 4}, true, false}, {{4, 7}, false, true}}));
  EXPECT_FALSE(complete({}));
  EXPECT_FALSE(complete({{{0, 4}, true, false}}));
  EXPECT_FALSE(complete({{{0, 4}, true, true}}));
  EXPECT_FALSE(complete({{{0, 4}, true, false}, {{5, 7}, false, true}}));
  EXPECT_FALSE(complete({{{4, 7}, true, false}, {{0, 4}, false, true}}));
  EXPECT_FALSE(complete({{{0, 4}, true, false}, {{4, 7}, true, true}}));
  EXPECT_FALSE(complete({{{0, 7}, true, true}, {{0, 7}, true, true}}));
}

void expect_all_once(const std::vector<Loop>& loops, const LoopSchedule& schedule) {
  const auto nest = LoopNest::make(loops, schedule);
  ASSERT_TRUE(nest) << nest.reason();
  std::vector<std::vector<Tally>> outputs(
      static_cast<std::size_t>(loops[kLoopN].extent * loops[kLoopKb].extent),
      std::vector<Tally>(static_cast<std::size_t>(nest->copies()), Tally(loops[kLoopCb].extent)));
  std::atomic<bool> single = true;
  const auto body = [&](const auto&, const LoopIndex& at) {
    if (at[kLoopN].size() != 1 || at[kLoopKb].size() != 1) single = false;
    outputs[static_cast<std::size_t>(at[kLoopN].begin * loops[kLoopKb].extent + at[kLoopKb].begin)]
           [static_cast<std::size_t>(at.copy())]
               .add(at[kLoopCb], at.first(kLoopCb), at.last(kLoopCb));
  };
  nest->run(Host(), body, PrivateCopies<float>{});
  EXPECT_TRUE(single) << to_string(schedule);
  for (const auto& copies : outputs) ASSERT_TRUE(Tally::complete(copies)) << to_string(schedule);
}

TEST(LoopNest, RunsEveryIterationOnceForRandomLegalSchedules) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Loop> loops = kLoops;
    for (Loop& loop : loops) loop.extent = *rc::gen::inRange(1, 9);
    // Random levels: each loop has one to three levels with falling steps, shuffled. A random run of neighbours is put
    // in braces as far as that is legal.
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
      const bool outermost = std::none_of(schedule.levels.begin(), schedule.levels.begin() + static_cast<int>(i),
                                          [&](const auto& outer) { return outer.name == level.name; });
      if (!used.insert(level.name).second || (level.name == "cb" && !outermost)) break;
      level.parallel = true;
    }
    RC_ASSERT(parse_loop_schedule(to_string(schedule)) == schedule);
    expect_all_once(loops, schedule);
  }));
}

TEST(LoopNest, RefusesIllegalSchedules) {
  std::vector<Loop> loops = kLoops;
  const auto fails = [&](const LoopSchedule& schedule, const char* what) {
    const auto nest = LoopNest::make(loops, schedule);
    ASSERT_FALSE(nest) << to_string(schedule);
    EXPECT_EQ(nest.status(), Status::misfit);
    EXPECT_THAT(nest.reason(), HasSubstr(what));
  };
  const auto text_fails = [&](const char* text, const char* what) { fails(parse_loop_schedule(text), what); };
  text_fails("n cb", "'kb' is missing");
  text_fails("n kb cb oj", "no loop 'oj'; the loops are n, kb, cb");
  text_fails("n:2 kb cb", "innermost level of 'n' must have step 1");
  text_fails("n:2 n:2 kb cb", "smaller step");
  text_fails("n kb cb n:4", "smaller step");
  text_fails("{n:2 n} kb cb", "parallel on one level only");
  text_fails("cb:4 {n cb} kb", "only its outermost level can be parallel");
  fails({{{"n", 1, true}, {"cb", 1, false}, {"kb", 1, true}}}, "neighbours");
  fails({std::vector<LoopSchedule::Level>(kMaxLevels + 1, {"n", 1, false})}, "at most 16 levels");

  loops[kLoopCb].kind = LoopKind::reduction;
  text_fails("{n cb} kb", "'cb' adds to one output");

  loops.resize(kMaxLoops + 1);
  text_fails("n kb cb", "at most 8 loops");
}

TEST(LoopNest, RefusesSizesThatWouldOverflow) {
  LoopSchedule schedule = parse_loop_schedule("n:2 n kb cb");
  EXPECT_TRUE(LoopNest::make(kLoops, schedule));
  for (const std::int64_t step : {kMostIterations + 1, std::numeric_limits<std::int64_t>::max()}) {
    schedule.levels[0].step = step;
    EXPECT_THAT(LoopNest::make(kLoops, schedule).reason(), HasSubstr("the step of 'n' must be from 1 to 2^40"));
  }
  for (const std::int64_t extent : {std::int64_t{0}, kMostIterations, std::numeric_limits<std::int64_t>::max()}) {
    std::vector<Loop> loops = kLoops;
    loops[kLoopKb].extent = extent;
    EXPECT_THAT(make(loops, "n kb cb").reason(), HasSubstr("all loops together"));
  }
}

TEST(LoopNest, AnswersADriversQuestions) {
  const auto nest = make(kLoops, "n:2 {kb} cb:4 n");
  EXPECT_EQ(nest->step_of(kLoopN), 1);
  EXPECT_EQ(nest->step_of(kLoopCb), 4);
  EXPECT_EQ(make(kLoops, "n kb cb:9")->step_of(kLoopCb), 7);
  EXPECT_TRUE(nest->is_inside(kLoopN, kLoopCb));
  EXPECT_FALSE(nest->is_inside(kLoopCb, kLoopN));
  EXPECT_EQ(nest->passing(kLoopN, kLoopCb), 2);
  EXPECT_EQ(nest->passing(kLoopKb, kLoopCb), 1);
  EXPECT_EQ(nest->passing(kLoopCb, kLoopKb), 7);
  const PassingCalls calls = nest->passing_calls({kLoopCb, kLoopKb, kLoopN}, kLoopCb);
  EXPECT_EQ(calls.count, 7 * 1 * 2);
  EXPECT_EQ(nest->in_a_task(kLoopN), 2);
  EXPECT_EQ(nest->in_a_task(kLoopKb), 1);
  EXPECT_EQ(nest->in_a_task(kLoopCb), 7);
  EXPECT_EQ(nest->in_a_row(kLoopN, kLoopKb), 2);
  EXPECT_EQ(nest->in_a_row(kLoopKb, kLoopCb), 1);
  EXPECT_EQ(nest->in_a_row(kLoopCb, kLoopKb), 7);
  EXPECT_EQ(nest->in_a_row(kLoopCb, kLoopN), 4);
  EXPECT_EQ(make(kLoops, "n:2 {n kb} cb")->in_a_row(kLoopN, kLoopCb), 1);
  EXPECT_EQ(make(kLoops, "{cb:4} cb:3 kb cb n")->in_a_row(kLoopCb, kLoopKb), std::nullopt);
  EXPECT_EQ(nest->tasks(), 3);
  EXPECT_EQ(nest->copies(), 1);
  EXPECT_EQ(make(kLoops, "n kb cb")->tasks(), 1);
  EXPECT_EQ(make(kLoops, "{cb:3 n} kb cb")->tasks(), 15);
  EXPECT_EQ(make(kLoops, "{cb:3 n} kb cb")->copies(), 3);
}

// An iteration of a level outside the parallel ones sees everything that any thread wrote in earlier iterations.
TEST(LoopNest, OuterLevelsSeeEarlierIterations) {
  const std::vector<Loop> loops = {{.name = "t", .extent = 20}, {.name = "i", .extent = 50}};
  for (const char* schedule : {"t {i}", "t:7 t {i:3} i", "t i"}) {
    std::vector<int> at_step(50, 0), neighbour_behind(50, 0);
    make(loops, schedule)->run(Host(), [&](const auto&, const LoopIndex& at) {
      const auto t = static_cast<int>(at[0].begin);
      const auto i = static_cast<std::size_t>(at[1].begin);
      // The neighbour has finished the last step, and may have finished this one.
      const int neighbour = std::atomic_ref(at_step[49 - i]).load();
      if (neighbour != t && neighbour != t + 1) ++neighbour_behind[i];
      std::atomic_ref(at_step[i]).store(t + 1);
    });
    EXPECT_THAT(at_step, testing::Each(20)) << schedule;
    EXPECT_THAT(neighbour_behind, testing::Each(0)) << schedule;
  }
}

// For each i the sum over r of 1 / (1 + r + i), in floats: rounding shows any other order of summation.
std::vector<float> reduce(std::string_view schedule, int threads, std::int64_t* copies = nullptr) {
  constexpr std::int64_t kOutputs = 5000;  // several chunks of the sum; the last one is shorter
  const std::vector<Loop> loops = {{.name = "i", .extent = kOutputs},
                                   {.name = "r", .extent = 11, .kind = LoopKind::reduction_in_copies}};
  const LoopNest nest = *make(loops, schedule);
  if (copies != nullptr) *copies = nest.copies();
  std::vector<float> output(kOutputs, -1), others(kOutputs * (nest.copies() - 1), -1);
  const PrivateCopies<float> into{output.data(), others.data(), kOutputs};
  nest.run(Host(),
           [&](const auto& team, const LoopIndex& at) {
             if (team.rank() != 0) return;
             float& sum = into.of(at.copy())[at[0].begin];
             const float term = 1.0f / static_cast<float>(1 + at[1].begin + at[0].begin);
             sum = at.first(1) ? term : sum + term;
           },
           into, {.threads = threads});
  return output;
}

// A device's team has one thread per element; the last task has fewer elements than threads.
TEST(SumOfCopies, EachThreadOfADevicesTeamHasOneElement) {
  struct OneOf32 {
    int of;
    int rank() const { return of; }
    int size() const { return 32; }
    void barrier() const {}
  };
  constexpr std::int64_t kSize = 70;
  std::vector<float> output(kSize, 1), others(2 * kSize);
  for (std::size_t i = 0; i < others.size(); ++i) others[i] = static_cast<float>(i);
  const SumOfCopies<float> sum{{output.data(), others.data(), kSize}, 3};
  EXPECT_EQ(sum.tasks(32), 3);
  EXPECT_EQ(sum.tasks(1), 1);
  for (std::int64_t task = 0; task < 3; ++task) {
    for (int rank = 0; rank < 32; ++rank) sum(OneOf32{rank}, task, nullptr);
  }
  for (std::int64_t i = 0; i < kSize; ++i) EXPECT_EQ(output[static_cast<std::size_t>(i)], 1 + 2 * i + kSize) << i;
}

TEST(LoopNest, SumsPrivateCopiesInOrder) {
  std::int64_t copies = 0;
  const std::vector<float> cut = reduce("{r:4 i} r", 1, &copies);
  EXPECT_EQ(copies, 3);
  for (const std::size_t i : {0u, 1u, 2047u, 2048u, 4999u}) {
    const auto part = [&](int begin, int end) {
      float sum = 0;
      for (int r = begin; r < end; ++r) sum += 1.0f / static_cast<float>(1 + r + static_cast<int>(i));
      return sum;
    };
    EXPECT_EQ(cut[i], part(0, 4) + part(4, 8) + part(8, 11)) << i;
  }
  // Another order of loops and other teams with the same copies give the same bits.
  EXPECT_EQ(reduce("{i r:4} r", 1), cut);
  EXPECT_EQ(reduce("i:700 {i r:4} r", Host().concurrency()), cut);
  EXPECT_NE(reduce("i r", 1), cut) << "another order of summation was meant to show";
}

TEST(LoopNest, GivesEveryPartOfTwoReductionsItsOwnCopy) {
  const std::vector<Loop> loops = {{.name = "r", .extent = 5, .kind = LoopKind::reduction_in_copies, .ranged = true},
                                   {.name = "i", .extent = 4},
                                   {.name = "s", .extent = 6, .kind = LoopKind::reduction_in_copies}};
  const LoopNest nest = *make(loops, "{r:2 i s:3} s r");
  ASSERT_EQ(nest.copies(), 6);
  std::vector<std::int64_t> output(4, -1), others(4 * 5, -1);
  const PrivateCopies<std::int64_t> into{output.data(), others.data(), 4};
  const auto body = [&](const auto&, const LoopIndex& at) {
    std::int64_t& sum = into.of(at.copy())[at[1].begin];
    if (at.first(0) && at.first(2)) sum = 0;
    sum += (at[0].begin + 1) * (at[2].begin + 1);
  };
  nest.run(Host(), body, into);
  EXPECT_THAT(output, testing::Each((1 + 2 + 3 + 4 + 5) * (1 + 2 + 3 + 4 + 5 + 6)));
}

TEST(LoopNest, GivesTheBodyTheScratchOfItsTask) {
  const auto nest =
      LoopNest::make({{.name = "i", .extent = 8}, {.name = "j", .extent = 3}}, parse_loop_schedule("{i} j"));
  std::vector<int> sums(8);
  nest->run(Host(),
            [&](const auto&, const LoopIndex& at) {
              int* const sum = at.scratch<int>();
              *sum = (at.first(1) ? 0 : *sum) + static_cast<int>(at[0].begin + at[1].begin);
              if (at.last(1)) sums[static_cast<std::size_t>(at[0].begin)] = *sum;
            },
            {.scratch_bytes = sizeof(int)});
  EXPECT_EQ(sums, (std::vector<int>{3, 6, 9, 12, 15, 18, 21, 24}));
  const auto no_scratch = [](const auto&, const LoopIndex& at) { EXPECT_EQ(at.scratch<int>(), nullptr); };
  nest->run(Host(), no_scratch);
}

TEST(LoopNest, RefusesAParallelReductionWithoutCopies) {
  EXPECT_THROW(make(kLoops, "{cb} n kb")->run(Host(), [](const auto&, const LoopIndex&) {}), std::logic_error);
}

}  // namespace
}  // namespace brickwork
