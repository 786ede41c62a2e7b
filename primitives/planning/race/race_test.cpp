#include "primitives/planning/race/race.hpp"

#include <gtest/gtest.h>

#include <string>

namespace brickwork {
namespace {

// Time passes only when the test lets it pass.
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

TEST_F(Race, ACallTooShortForTheClockRunsAMillionTimes) { EXPECT_EQ(racer_of(lasting(0), 1, clock_).calls, 1'000'000); }

TEST_F(Race, TheMiddleOfAnEvenNumberIsTheUpperOne) {
  EXPECT_EQ(middle({3, 1, 2}), 2);
  EXPECT_EQ(middle({4, 1, 3, 2}), 3);
  EXPECT_EQ(middle({7}), 7);
}

TEST_F(Race, RacersTakeTurnsAndHaveTheMedianOfTheirSamples) {
  const std::vector<Racer> racers{{lasting(2, 'a'), 1, false}, {lasting(3, 'b'), 1, false}};
  EXPECT_EQ(race_medians(racers, 3, clock_), (std::vector<double>{2, 3}));
  EXPECT_EQ(calls_.substr(0, 2), "ab");
}

}  // namespace
}  // namespace brickwork
