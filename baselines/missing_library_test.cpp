#include "missing_library.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

TEST(MissingLibrary, SaysWhichAndHowToGetIt) {
  const MissingConv missing("onednn", "oneDNN");
  EXPECT_EQ(missing.name(), "onednn");
  EXPECT_EQ(missing.version(), "");
  const auto reason = missing.unsupported(parse_conv_problem("C1 K1 H1"), {1});
  ASSERT_TRUE(reason.has_value());
  EXPECT_NE(reason->find("built without oneDNN: run scripts/setup"), std::string::npos);
  EXPECT_THROW(missing.prepare({}, {}, {}), std::runtime_error);
}

}  // namespace
}  // namespace brickwork
