#include "experiments/harness/run/turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

namespace brickwork {
namespace {

// Replaces standard input while it lives.
class Input {
 public:
  explicit Input(const std::string& text) : text_(text), before_(std::cin.rdbuf(text_.rdbuf())) {}
  ~Input() {
    std::cin.rdbuf(before_);
    std::cin.clear();
  }

 private:
  std::istringstream text_;
  std::streambuf* before_;
};

Options driven() {
  Options options;
  options.turns = true;
  return options;
}

TEST(Turns, AreTheProblemsInOrder) {
  Turns turns(Options{}, 2);
  EXPECT_EQ(turns.next()->problem, 0U);
  const auto second = turns.next();
  EXPECT_EQ(second->problem, 1U);
  EXPECT_FALSE(second->samples);
  EXPECT_FALSE(turns.next());
}

TEST(Turns, FollowTheRequestsUntilTheInputEnds) {
  const Input input(turn_request({.problem = 2, .samples = 7}) + "\n" + turn_request({.problem = 0, .samples = 31}) +
                    "\n");
  Turns turns(driven(), 3);
  const auto first = turns.next(), second = turns.next();
  EXPECT_EQ(first->problem, 2U);
  EXPECT_EQ(first->samples, 7);
  EXPECT_EQ(second->problem, 0U);
  EXPECT_EQ(second->samples, 31);
  EXPECT_FALSE(turns.next());
}

TEST(Turns, AreAnsweredIfADriverAsks) {
  testing::internal::CaptureStdout();
  Turns(Options{}, 3).done({.problem = 2});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  testing::internal::CaptureStdout();
  Turns(driven(), 3).done({.problem = 2});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), turn_answer({.problem = 2}) + "\n");
}

TEST(Turns, WrongRequestsAreRefused) {
  for (const char* line : {"3 7", "1 0", "1", "-1 7", "one 7", "1 7 9", ""}) {
    const Input input(std::string(line) + "\n");
    Turns turns(driven(), 3);
    EXPECT_THROW(turns.next(), std::runtime_error) << line;
  }
}

}  // namespace
}  // namespace brickwork
