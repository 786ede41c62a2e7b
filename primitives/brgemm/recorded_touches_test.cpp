// What a league of brick calls touches is what it declares.
#include "primitives/testing/recorded_touches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "primitives/brgemm/brgemm_league_blocks.hpp"
#include "primitives/brgemm/brgemm_league_touches.hpp"
#include "primitives/testing/wrong_declarations.hpp"

namespace brickwork {
namespace {

std::string league_difference(const BrgemmLeagueProblem& p, const NestTouches& declared) {
  const auto floats = [](std::int64_t size) { return std::vector<float>(static_cast<std::size_t>(size)); };
  std::vector<float> a = floats(p.tasks * p.m * p.depth()), b = floats(p.depth() * p.n),
                     c = floats(p.tasks * p.m * p.n);
  TouchChecker checker(
      declared,
      {{"a", [&](const std::int64_t* i,
                 std::int64_t) { return a.data() + ((i[0] * p.batch + i[1]) * p.m + i[2]) * p.k + i[3]; }},
       {"b", [&](const std::int64_t* i, std::int64_t) { return b.data() + (i[0] * p.k + i[1]) * p.n + i[2]; }},
       {"c", [&](const std::int64_t* i, std::int64_t) { return c.data() + (i[0] * p.m + i[1]) * p.n + i[2]; }}});
  const auto league = brgemm_league(p, a.data(), b.data(), c.data());
  const BrgemmLeagueBody<RecordingBrick, float, float> body{league, {league.call, &checker}};
  parallel_league(InOrder(), p.tasks, 1, 0, [&](const auto& team, std::int64_t task, void* scratch) {
    body(team, task, scratch);
    checker.end_call({.loops = {{task, task + 1}}});
  });
  return checker.wrong();
}

TEST(RecordedTouchesOfBrgemmLeague, ATaskTouchesWhatItDeclares) {
  EXPECT_TRUE(rc::check([] {
    const auto size = [](int most) { return *rc::gen::inRange(1, most); };
    const BrgemmLeagueProblem p{.tasks = size(6), .m = size(9), .n = size(20), .k = size(9), .batch = size(4)};
    EXPECT_EQ(league_difference(p, brgemm_league_touches(p)), "") << to_string(p);
  }));
}

// Some say the same: an index ends where the right axis ends, without a reduction each call is a last one, and a sum of
// one call is only written.
TEST(RecordedTouchesOfBrgemmLeague, EachWrongDeclarationIsFound) {
  const auto p = parse_problem<BrgemmLeagueProblem>("tasks3 m4 n5 k6 batch2");
  EXPECT_THAT(declarations_not_found(brgemm_league_touches(p),
                                     [&](const NestTouches& wrong) { return league_difference(p, wrong); }),
              testing::ElementsAre("size of batch", "size of m", "size of n", "size of k", "other at_last of a",
                                   "other at_last of b", "other at_last of c", "c is reduced"));
}

}  // namespace
}  // namespace brickwork
