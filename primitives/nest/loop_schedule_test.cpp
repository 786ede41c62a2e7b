#include "primitives/nest/loop_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(LoopSchedule, TextRoundTrips) {
  for (const char* text : {"n kb cb", "{n kb} cb:4", "kb {n} cb", "n:3 {kb n} cb:2 cb", "{n}  kb cb:7"}) {
    const auto schedule = parse_loop_schedule(text);
    EXPECT_EQ(parse_loop_schedule(to_string(schedule)), schedule);
  }
  EXPECT_EQ(to_string(parse_loop_schedule("{n  kb} cb:4")), "{n kb} cb:4");
}

TEST(LoopSchedule, ParserPointsAtTheOffendingCharacter) {
  const auto fails = [](const char* text, const char* what) {
    EXPECT_THAT([&] { parse_loop_schedule(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(what))) << text;
  };
  fails("n K", "expected a loop's name");
  fails("n K", "\n    ^");  // two columns of margin, then under the third character
  fails("{n kb cb", "never closed");
  fails("n} kb", "'}' without '{'");
  fails("{n} {kb}", "a second '{'");
  for (const char* step :
       {"n:0", "n:-1", "n:x", "n:", "n:1099511627777", "n:9223372036854775807", "n:99999999999999999999"}) {
    fails(step, "a step must be a whole number from 1 to 2^40");
  }
  fails("", "expected at least one loop");
}

}  // namespace
}  // namespace brickwork
