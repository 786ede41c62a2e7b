#include "primitives/analysis/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace brickwork {
namespace {

using testing::Contains;
using testing::Each;
using testing::Not;
using testing::UnorderedElementsAre;

const std::vector<Loop> kMatmul{
    {"m", 8}, {"n", 6}, {.name = "k", .extent = 4, .kind = LoopKind::reduction, .ranged = true}};

std::vector<std::string> texts(const std::vector<LoopSchedule>& schedules) {
  std::vector<std::string> all;
  for (const LoopSchedule& schedule : schedules) all.push_back(to_string(schedule));
  return all;
}

TEST(Orders, AreAllOrdersAndEachFitsTheLoops) {
  const auto all = orders(kMatmul, {{"k", {1}}}, {});
  EXPECT_THAT(texts(all), UnorderedElementsAre("m n k", "m k n", "n m k", "n k m", "k m n", "k n m"));
  for (const LoopSchedule& schedule : all) EXPECT_TRUE(LoopNest::make(kMatmul, schedule)) << to_string(schedule);
}

TEST(Orders, ALoopInOnePieceIsInnermost) {
  EXPECT_THAT(texts(orders(kMatmul, {}, {})), UnorderedElementsAre("m n k:4", "n m k:4"));
}

TEST(Orders, TheOutermostLevelsRunInParallel) {
  EXPECT_THAT(texts(orders(kMatmul, {{"k", {2}}}, {.threads = 2})),
              UnorderedElementsAre("{m} n k:2", "{m} k:2 n", "{n} m k:2", "{n} k:2 m"));
  // Neither 8 nor 6 iterations load five threads evenly.
  EXPECT_THAT(texts(orders(kMatmul, {}, {.threads = 5})), UnorderedElementsAre("{m n} k:4", "{n m} k:4"));
}

TEST(Orders, AnInnerLevelDoesNotFollowItsOuterLevelUnlessThatIsParallel) {
  const auto one = texts(orders(kMatmul, {{"m", {4, 1}}}, {}));
  EXPECT_THAT(one, Contains("m:4 n m k:4"));
  EXPECT_THAT(one, Not(Contains("m:4 m n k:4")));
  EXPECT_THAT(texts(orders(kMatmul, {{"m", {4, 1}}}, {.threads = 2})), Contains("{m:4} m n k:4"));
}

TEST(Orders, LoopsStayOutsideOthersAsAsked) {
  EXPECT_THAT(texts(orders(kMatmul, {{"k", {1}}}, {.outside = {{"m", "n"}}})),
              UnorderedElementsAre("m n k", "m k n", "k m n"));
  const auto cut = texts(orders(kMatmul, {{"n", {3, 1}}, {"k", {1}}}, {.cuts_outermost = true}));
  EXPECT_THAT(cut, Each(testing::StartsWith("n:3 ")));
}

TEST(Orders, AParallelReductionHasACopyForEachThread) {
  std::vector<Loop> loops = kMatmul;
  loops[2].kind = LoopKind::reduction_in_copies;
  EXPECT_THAT(texts(orders(loops, {{"k", {2, 1}}}, {.threads = 2})), Contains("{k:2} k m n"));
  EXPECT_THAT(texts(orders(loops, {{"k", {1}}}, {.threads = 2})), Not(Contains("{k} m n")));
}

TEST(Orders, ACutThatCutsNothingIsNone) {
  EXPECT_THAT(texts(orders(kMatmul, {{"m", {8, 1}}, {"n", {1, 1}}}, {})), UnorderedElementsAre("m n k:4", "n m k:4"));
}

TEST(Orders, AreDifferentFromEachOther) {
  const std::vector<Loop> loops{
      {"n", 4}, {"kb", 4}, {"oj", 7}, {.name = "cb", .extent = 4, .kind = LoopKind::reduction, .ranged = true}};
  const auto all = texts(orders(loops, {{"kb", {2, 1}}, {"cb", {2}}}, {.threads = 3}));
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

}  // namespace
}  // namespace brickwork
