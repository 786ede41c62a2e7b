#include "experiments/search/duel.hpp"

#include <gtest/gtest.h>

#include <string>

namespace brickwork {
namespace {

TEST(Duel, TakesTurnsAndDividesTheChallengersTimeByTheChampions) {
  double now = 0, disturbed = 1;
  std::string calls;
  const RaceClock clock = [&] { return now; };
  const Racer champion{[&] {
                         now += 2;
                         calls += 'a';
                       },
                       1, false};
  const Racer challenger{[&] {
                           now += 3 * disturbed;
                           calls += 'b';
                           disturbed = 1;
                         },
                         1, false};
  Duel duel(champion, challenger, clock);
  for (const double how : {10.0, 1.0, 0.5}) {
    disturbed = how;
    duel.add_pair();
  }
  EXPECT_EQ(calls, "abbaab");
  EXPECT_EQ(duel.pairs(), 3U);
  EXPECT_DOUBLE_EQ(duel.ratio(), 1.5);
  EXPECT_DOUBLE_EQ(duel.best_ratio(), 0.75);
  EXPECT_DOUBLE_EQ(duel.worst_ratio(), 15);
}

}  // namespace
}  // namespace brickwork
