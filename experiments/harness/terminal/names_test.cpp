#include "experiments/harness/terminal/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

const std::vector<std::string> kLayers = {"layer01", "layer02", "layer10", "pool"};

TEST(ClosestName, IsNamedOnlyIfItIsClose) {
  EXPECT_EQ(closest_name("layer1", kLayers), "layer01");
  EXPECT_EQ(closest_name("lyr01", kLayers), "layer01");
  EXPECT_EQ(closest_name("po", kLayers), "pool") << "it begins so";
  EXPECT_EQ(closest_name("pool-backward", kLayers), "pool");
  EXPECT_EQ(closest_name("polo", kLayers), "pool") << "two letters changed places";
  EXPECT_EQ(closest_name("xx", kLayers), "");
  EXPECT_EQ(closest_name("resnet", kLayers), "");
  EXPECT_EQ(closest_name("", kLayers), "");
  EXPECT_EQ(closest_name("layer01", {}), "");
}

// "abd" is 2 edits away, more than a third of its length; "xaycdez" is 3 edits away, a third of its length.
TEST(ClosestName, ALongNameMayBeCloseWhereAShorterOneWithFewerEditsIsNot) {
  EXPECT_EQ(closest_name("abcde", std::vector<std::string>{"abd", "xaycdez"}), "xaycdez");
}

TEST(RequireKnown, NamesTheClosestAndAll) {
  EXPECT_NO_THROW(require_known("layer", "pool", kLayers));
  EXPECT_THAT([] { require_known("layer", "layer1", kLayers); },
              ThrowsMessage<std::invalid_argument>(
                  "unknown layer 'layer1'; the closest is 'layer01'; there are: layer01, layer02, layer10, pool"));
  EXPECT_THAT([] { require_known("layer", "xx", kLayers); },
              ThrowsMessage<std::invalid_argument>("unknown layer 'xx'; there are: layer01, layer02, layer10, pool"));
}

TEST(NamesMatching, APatternIsAllNamesThatMatchItWhole) {
  EXPECT_THAT(names_matching("layer", "layer0?", kLayers), ElementsAre("layer01", "layer02"));
  EXPECT_THAT(names_matching("layer", "*1*", kLayers), ElementsAre("layer01", "layer10"));
  EXPECT_THAT(names_matching("layer", "pool", kLayers), ElementsAre("pool"));
  EXPECT_THROW(names_matching("layer", "poo", kLayers), std::invalid_argument);
  EXPECT_THAT(
      [] { names_matching("layer", "ayer*", kLayers); },
      ThrowsMessage<std::invalid_argument>("no layer matches 'ayer*'; there are: layer01, layer02, layer10, pool"));
}

}  // namespace
}  // namespace brickwork
