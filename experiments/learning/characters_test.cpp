#include "experiments/learning/characters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace brickwork {
namespace {

using Part = TextStreams::Part;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Two streams of 21 characters; the first 19 of each are for training.
TEST(TextStreams, EachWindowBeginsWhereTheLastOneEnds) {
  std::string text;
  for (int i = 0; i < 43; ++i) text += static_cast<char>('A' + i);  // the last one is left over
  const TextStreams streams(text, 2, 1);
  EXPECT_EQ(streams.classes(), 42);
  EXPECT_EQ(streams.windows(Part::train), 18);
  EXPECT_EQ(streams.windows(Part::test), 1);
  std::int32_t now[2], next[2];
  for (const std::int64_t i : {0, 1, 17}) {
    streams.window(Part::train, i, now, next);
    EXPECT_THAT(now, ElementsAre(i, 21 + i));
    EXPECT_THAT(next, ElementsAre(i + 1, 22 + i));
  }
  streams.window(Part::test, 0, now, next);
  EXPECT_THAT(now, ElementsAre(19, 40));
  EXPECT_THAT(next, ElementsAre(20, 41));
}

TEST(TextStreams, AWindowIsOrderedByStepAndThenByStream) {
  const TextStreams streams(std::string(25, 'a') + "bcdba" + std::string(30, 'a'), 2, 2);
  std::int32_t now[4], next[4];
  streams.window(Part::test, 0, now, next);
  EXPECT_THAT(now, ElementsAre(3, 0, 1, 0));  // d and b of "bcdba", beside an a of the other stream
  EXPECT_THAT(next, ElementsAre(1, 0, 0, 0));
}

TEST(TextStreams, AShortTextIsRefused) {
  EXPECT_THAT([] { TextStreams("short", 2, 3); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(
                  "the text has 5 characters, but 2 streams with a tenth of each for the test need at least 80")));
}

// In "abab" each character has a single successor, which the model has seen 18 or 17 times.
TEST(Bigrams, AFixedSuccessorCostsFewBits) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "ab";
  // Training, 36 of the 40 characters: b follows a 18 times and a follows b 17 times. The test has ab twice and ba
  // once.
  const TextStreams streams(text, 1, 1);
  ASSERT_EQ(streams.windows(Part::train), 35);
  ASSERT_EQ(streams.windows(Part::test), 3);
  const double a = 18.0 / 37, b = 19.0 / 37;  // of the 35 successors, and one more of each
  const double ab = -std::log2((18 + b) / 19), ba = -std::log2((17 + a) / 18);
  EXPECT_NEAR(bits_of_bigrams(streams, 1), (2 * ab + ba) / 3, 1e-12);
}

// The 38 counts are 36 for a, and 1 each for z and y. The pairs of the test are az, zy and ya. In training, a follows a
// 35 times, and no pair begins with z or y.
TEST(Bigrams, UnseenPairsHaveAPositiveProbability) {
  const TextStreams streams(std::string(36, 'a') + "azya", 1, 1);
  ASSERT_EQ(streams.windows(Part::test), 3);
  const double bits = std::log2(38.0 * 36) + std::log2(38.0) - std::log2(36.0 / 38);
  EXPECT_NEAR(bits_of_bigrams(streams, 1), bits / 3, 1e-12);
}

}  // namespace
}  // namespace brickwork
