#include "primitives/recursive/structures/schedule.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"
#include "primitives/recursive/structures/testing/schedule_check.hpp"

namespace brickwork {
namespace {

constexpr Division kDivisions[] = {Division::shared, Division::subtrees, Division::unrolled, Division::moved};

struct Scheduled {
  Levels levels;
  std::vector<Phase> phases;
};

Scheduled scheduled(const Forest& forest, Division division, std::int32_t stages, std::int32_t threads) {
  Linearizer linearize(forest.nodes(), 0, order_for(division), threads);
  const Levels& levels = linearize(forest);
  return {levels, schedule(levels, forest.kind, division, stages, threads)};
}

void expect_right(const Forest& forest) {
  for (const Division division : kDivisions) {
    for (const std::int32_t stages : {1, 2, 3}) {
      for (std::int32_t threads = 1; threads <= 5; ++threads) {
        const Scheduled s = scheduled(forest, division, stages, threads);
        EXPECT_EQ(violations(s.phases, {s.levels, stages, threads, division == Division::shared}), "")
            << static_cast<int>(division) << " " << stages << " " << threads;
      }
    }
  }
}

TEST(Schedule, ComputesAllOfRandomForestsOnceAndInOrder) {
  std::mt19937 random(1);
  for (const StructureKind kind : {StructureKind::tree, StructureKind::dag, StructureKind::sequence}) {
    for (int draw = 0; draw < 60; ++draw) {
      expect_right(random_forest({kind, 1 + random_below(5, random), 1 + random_below(60, random),
                                  kind == StructureKind::sequence ? 1 : 1 + random_below(5, random)},
                                 random));
    }
  }
}

TEST(Schedule, ComputesAllOfMadeStructuresOnceAndInOrder) {
  for (const Forest& forest :
       {treebank_trees(10), perfect_trees(3, 5), grids(2, 6), sequences(4, 1), sequences(2, 30)}) {
    expect_right(forest);
  }
}

std::size_t count_of_phases(Division division, std::int32_t stages) {
  return scheduled(perfect_trees(2, 6), division, stages, 2).phases.size();
}

// Six levels of inner nodes.
TEST(Schedule, ThreadsMeetLessOftenIfTheyDivideTheNodes) {
  EXPECT_EQ(count_of_phases(Division::shared, 2), 12u);
  EXPECT_EQ(count_of_phases(Division::subtrees, 2), 3u);  // the subtrees, and two stages of the roots
  EXPECT_EQ(count_of_phases(Division::unrolled, 2), 3u);
  EXPECT_EQ(count_of_phases(Division::moved, 2), 7u);
  EXPECT_EQ(count_of_phases(Division::moved, 1), 6u);  // there is no second stage to move
}

// Which level a thread's parts of an unrolled phase are in.
TEST(Schedule, ThreadsHaveEqualPartsOfAnUnrolledPhase) {
  const auto phases = scheduled(perfect_trees(1, 4), Division::unrolled, 1, 2).phases;
  ASSERT_EQ(phases.size(), 2u);
  ASSERT_EQ(phases[0].size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(phases[0][i].owner, static_cast<std::int32_t>(i / 2));
    EXPECT_EQ(phases[0][i].nodes.size(), i % 2 == 0 ? 4 : 2);
  }
}

// The sentence about a schedule that `spoil` makes wrong. The tree has the root at place 0, its children at 1 and 2,
// their children at 3 to 6, and 8 leaves; there are two stages and two threads.
std::string violation_after(Division division, const std::function<void(std::vector<Phase>&)>& spoil) {
  Scheduled s = scheduled(perfect_trees(1, 3), division, 2, 2);
  spoil(s.phases);
  return violations(s.phases, {s.levels, 2, 2, division == Division::shared});
}

TEST(ScheduleCheck, AcceptsAllDivisions) {
  for (const Division division : kDivisions) EXPECT_EQ(violation_after(division, [](auto&) {}), "");
}

TEST(ScheduleCheck, FindsALevelOutOfOrder) {
  EXPECT_EQ(violation_after(Division::shared, [](auto& phases) { std::swap(phases[1], phases[2]); }),
            "phase 1: level 2 begins before place 3 ends");
  EXPECT_EQ(violation_after(Division::unrolled, [](auto& phases) { std::swap(phases[0], phases[1]); }),
            "phase 0: place 0 begins before its child at place 1 ends");
  EXPECT_EQ(violation_after(Division::subtrees, [](auto& phases) { std::swap(phases[0], phases[1]); }),
            "phase 0: place 1 begins before its child at place 5 ends");
}

TEST(ScheduleCheck, FindsAStageOutOfOrder) {
  EXPECT_EQ(violation_after(Division::shared, [](auto& phases) { std::swap(phases[0], phases[1]); }),
            "phase 0: place 3 is in stage 1 before its stage 0 ends");
  EXPECT_EQ(violation_after(Division::unrolled, [](auto& phases) { std::swap(phases[0][0], phases[0][1]); }),
            "phase 0: place 3 is in stage 1 before its stage 0 ends");
}

TEST(ScheduleCheck, FindsAMissingMeeting) {
  EXPECT_EQ(violation_after(Division::shared,
                            [](auto& phases) {
                              phases[0].push_back(phases[1][0]);
                              phases.erase(phases.begin() + 1);
                            }),
            "phase 0: place 3 is in stage 1 before its stage 0 ends");
  EXPECT_EQ(violation_after(Division::unrolled, [](auto& phases) { phases[0][2].owner = 1; }),
            "phase 0: place 1 begins before its child at place 3 ends");
}

TEST(ScheduleCheck, FindsWhatIsNotComputedOrTwice) {
  EXPECT_EQ(violation_after(Division::shared, [](auto& phases) { phases.pop_back(); }),
            "place 0 is never computed in stage 1");
  EXPECT_EQ(violation_after(Division::shared, [](auto& phases) { --phases[5][0].nodes.end; }),
            "phase 5: places 0 to 0 are no nodes of level 3");
  EXPECT_EQ(violation_after(Division::shared, [](auto& phases) { phases.push_back(phases.back()); }),
            "phase 6: place 0 is again in stage 1");
}

TEST(ScheduleCheck, FindsLevelsThatUseTheSameScratchAtATime) {
  EXPECT_EQ(violation_after(Division::shared,
                            [](auto& phases) {
                              phases[2].push_back(phases[1][0]);
                              phases.erase(phases.begin() + 1);
                            }),
            "phase 1: level 2 begins before place 3 ends");
}

TEST(ScheduleCheck, FindsWorkThatDoesNotExist) {
  const auto wrong = [](const std::function<void(Work&)>& spoil) {
    return violation_after(Division::shared, [&](auto& phases) { spoil(phases[0][0]); });
  };
  EXPECT_EQ(wrong([](Work& w) { w.level = 0; }), "phase 0: there is no level 0 of inner nodes");
  EXPECT_EQ(wrong([](Work& w) { w.stage = 2; }), "phase 0: there is no stage 2");
  EXPECT_EQ(wrong([](Work& w) { w.owner = 2; }), "phase 0: there is no thread 2");
  EXPECT_EQ(wrong([](Work& w) { w.nodes.end = 8; }), "phase 0: places 3 to 8 are no nodes of level 1");
}

}  // namespace
}  // namespace brickwork
