#include "primitives/analysis/rankings/ranking_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "primitives/analysis/rankings/testing/made_network.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(RankingNetwork, TextAndRoundedValueAreInverse) {
  const RankingNetwork network = random_network({24, 16, 8, 2}, 1), kept = rounded(network);
  EXPECT_EQ(parse_ranking_network(to_string(network)), kept);
  EXPECT_EQ(parse_ranking_network(to_string(kept)), kept);
  EXPECT_NE(kept, network);
  EXPECT_EQ(kept.processor, "random");
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(kept.layers[0].weights[i], network.layers[0].weights[i], 1e-4);
  }
}

TEST(RankingNetwork, ATextTakesAFewKilobytes) {
  EXPECT_LT(to_string(random_network({32, 16, 16, 2}, 1)).size(), 16384U);
}

TEST(RankingNetwork, WrongTextsAreRefused) {
  const std::string good = to_string(random_network({4, 2}, 1));
  const auto with = [&](const std::string& was, const std::string& is) {
    std::string text = good;
    EXPECT_NE(text.find(was), std::string::npos) << was;
    return text.replace(text.find(was), was.size(), is);
  };
  const std::pair<std::string, std::string> cases[] = {
      {"", "it is no JSON object with version, processor and layers"},
      {"[]", "it is no JSON object with version, processor and layers"},
      {good.substr(0, good.size() / 2), "it is no JSON object"},
      {with("\"version\":1", "\"version\":2"), "its version is 2, and this program's is 1"},
      {with("\"processor\"", "\"cpu\""), "it is no JSON object"},
      {with("\"layers\":[", "\"layers\":[],\"were\":["), "its last layer must have 2 outputs"},
      {with("\"bias\":[", "\"bias\":[0,"), "its layer 1 has 152 weights and 5 biases where each bias needs 38 weights"},
      {with("\"bias\":[", "\"bias\":[\"x\","), "it is no JSON object"},
      {to_string(random_network({2, 4}, 1)), "its last layer must have 2 outputs"},
      {to_string({.processor = "none", .layers = {{}}}), "its layer 1 has 0 weights and 0 biases"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT([&] { parse_ranking_network(text); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message)))
        << text.substr(0, 80);
  }
}

// A build with weights that this program cannot read would fail here.
TEST(RankingNetwork, TheShippedOneCanBeRead) { EXPECT_NO_THROW(shipped_ranking_network()); }

}  // namespace
}  // namespace brickwork
