#include "race.hpp"

#include <gtest/gtest.h>

#include <string>

namespace brickwork {
namespace {

// Time passes where the test lets it pass, and nowhere else.
class Race : public testing::Test {
 protected:
  std::function<void()> lasting(double seconds, char name = 'x') {
    return [=, this] {
      now_ += seconds;
      calls_ += name;
    };
  }

  double now_ = 0;
  std::string calls_;
  const RaceClock clock_ = [this] { return now_; };
};

TEST_F(Race, ASampleIsTheMeanOfItsCallsWithoutTheWarmUp) {
  int calls = 0;
  const Racer racer{[&] { now_ += ++calls == 1 ? 100 : calls; }, 3};  // 2, 3 and 4 seconds after the warm-up
  EXPECT_DOUBLE_EQ(take_sample(racer, clock_), 3);
  EXPECT_DOUBLE_EQ(take_sample({lasting(5), 2, false}, clock_), 5);
  EXPECT_EQ(calls_, "xx");
}

TEST_F(Race, SamplesOfShortCallsLastLongEnough) {
  const Racer racer = racer_of(lasting(0.25), 1, clock_);
  EXPECT_EQ(racer.calls, 4);
  EXPECT_TRUE(racer.warms_up);
  EXPECT_EQ(calls_, "x");
}

TEST_F(Race, LongCallsAreNotWarmedUp) {
  const Racer racer = racer_of(lasting(4), 1, clock_);
  EXPECT_EQ(racer.calls, 1);
  EXPECT_FALSE(racer.warms_up);
}

TEST_F(Race, ACallThatTheClockDoesNotSeeEnds) { EXPECT_EQ(racer_of(lasting(0), 1, clock_).calls, 1'000'000); }

TEST_F(Race, ADuelTakesTurnsAndSaysTheChallengersTimeOverTheChampions) {
  double disturbed = 1;
  const Racer champion{lasting(2, 'a'), 1, false};
  const Racer challenger{[&] {
                           lasting(3 * disturbed, 'b')();
                           disturbed = 1;
                         },
                         1, false};
  Duel duel(champion, challenger, clock_);
  for (const double how : {10.0, 1.0, 0.5}) {
    disturbed = how;
    duel.add_pair();
  }
  EXPECT_EQ(calls_, "abbaab");
  EXPECT_EQ(duel.pairs(), 3U);
  EXPECT_DOUBLE_EQ(duel.ratio(), 1.5);
  EXPECT_DOUBLE_EQ(duel.best_ratio(), 0.75);
  EXPECT_DOUBLE_EQ(duel.worst_ratio(), 15);
}

TEST_F(Race, TheMiddleOfAnEvenNumberIsTheUpperOne) {
  EXPECT_EQ(middle({3, 1, 2}), 2);
  EXPECT_EQ(middle({4, 1, 3, 2}), 3);
  EXPECT_EQ(middle({7}), 7);
}

}  // namespace
}  // namespace brickwork
