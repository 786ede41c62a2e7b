#include "experiments/harness/run/each_experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

TEST(WithoutOption, DropsItWithItsValueInBothForms) {
  EXPECT_THAT(without_option({"brickwork", "--out", "x", "--check", "--out=y", "--outer"}, "--out"),
              testing::ElementsAre("brickwork", "--check", "--outer"));
  EXPECT_THAT(without_option({"brickwork", "--out"}, "--out"), testing::ElementsAre("brickwork"));
}

}  // namespace
}  // namespace brickwork
