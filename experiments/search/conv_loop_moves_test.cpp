#include "experiments/search/conv_loop_moves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

const LoopExtents kExtents{{"n", 28}, {"kb", 8}, {"oj", 14}, {"oi", 2}, {"cb", 4}};

std::vector<std::string> texts(const std::vector<LoopSchedule>& schedules) {
  std::vector<std::string> texts;
  for (const LoopSchedule& schedule : schedules) texts.push_back(to_string(schedule));
  return texts;
}

std::string settled_text(const char* text, const LoopExtents& extents) {
  return to_string(settled(parse_loop_schedule(text), extents));
}

TEST(ConvLoopMoves, EveryLevelMovesToEveryPlaceAndTheBracesStay) {
  const auto orders = texts(reordered(parse_loop_schedule("{n kb} oj oi cb:4")));
  EXPECT_THAT(orders, IsSupersetOf({"{kb n} oj oi cb:4", "{n oj} kb oi cb:4", "{n oj} oi kb cb:4", "{oi n} kb oj cb:4",
                                    "{kb oj} oi n cb:4"}));
  EXPECT_THAT(texts(reordered(parse_loop_schedule("{n:7 kb} n oj oi cb:4"))), Not(Contains("{n n:7} kb oj oi cb:4")));
}

TEST(ConvLoopMoves, AReductionIsNeverParallel) {
  EXPECT_THAT(texts(reordered(parse_loop_schedule("{n kb} cb:2 oj oi"))),
              IsSupersetOf({"cb:2 {n kb} oj oi", "{n} cb:2 kb oj oi"}));
}

TEST(ConvLoopMoves, LoopsAreCutAndJoined) {
  const auto cut = texts(cut_otherwise(parse_loop_schedule("{n kb} oj oi cb:4"), kExtents));
  EXPECT_THAT(cut,
              IsSupersetOf({"{n:7 kb} n oj oi cb:4", "{n:14 kb} oj n oi cb:4", "{n kb:4} oj kb oi cb:4",
                            "{n kb} oj:7 oi oj cb:4", "{n kb} cb:2 oj oi", "{n kb} oj oi cb", "cb:2 {n kb} oj oi"}));
  const auto joined = texts(cut_otherwise(parse_loop_schedule("{n:7 kb} n oj oi cb:4"), kExtents));
  EXPECT_THAT(joined, IsSupersetOf({"{n kb} oj oi cb:4", "{kb n} oj oi cb:4", "{n:14 kb} n oj oi cb:4"}));
}

TEST(ConvLoopMoves, AdjacentLevelsBecomeParallel) {
  EXPECT_THAT(texts(spread_otherwise(parse_loop_schedule("{n:7 kb} n oj oi cb:4"))),
              IsSupersetOf({"{n:7} kb n oj oi cb:4", "n:7 {kb n oj} oi cb:4", "n:7 kb {n} oj oi cb:4"}));
}

TEST(ConvLoopMoves, CutsKeepTheirProportion) {
  LoopExtents finer = kExtents;
  finer["cb"] = 8, finer["kb"] = 16;
  const auto after = [&](const char* text, const LoopExtents& to) {
    return to_string(rescaled(parse_loop_schedule(text), kExtents, to));
  };
  EXPECT_EQ(after("{n kb} oj oi cb:4", finer), "{n kb} oj oi cb:8");
  EXPECT_EQ(after("{n kb:4} cb:2 oj kb oi", finer), "{n kb:8} cb:4 oj kb oi");
  LoopExtents coarse = kExtents;
  coarse["kb"] = 1;
  EXPECT_EQ(after("{n kb:4} oj kb oi cb:4", coarse), "{n} oj kb oi cb:4");
}

TEST(ConvLoopMoves, SchedulesThatRunAlikeHaveOneForm) {
  LoopExtents one = kExtents;
  one["n"] = one["oi"] = 1;
  for (const char* text : {"n {kb} oj oi cb:4", "{n kb} oj oi cb:4", "oi {kb n} cb:4 oj", "n:2 {kb} cb:9 oj n oi"}) {
    EXPECT_EQ(settled_text(text, one), "n {kb} oj oi cb:4") << text;
  }
  EXPECT_EQ(settled_text("{n kb} cb:2 oi oj", kExtents), "{n kb} cb:2 oi oj");
}

}  // namespace
}  // namespace brickwork
