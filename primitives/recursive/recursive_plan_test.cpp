#include "primitives/recursive/recursive_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/recursive.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_recursive_plan(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(RecursivePlan, IsReadBackFromItsText) {
  const RecursivePlan plan = plan_recursive(100, {.threads = 3});
  EXPECT_EQ(parse_recursive_plan(to_string(plan)), plan);
  EXPECT_EQ(to_string(parse_recursive_plan("bk=16 rows=8 fuse=0 refactor=1")),
            "bk=16 rows=8 levels=1 leaves=1 hoist=1 fuse=0 dense=1 persist=1 few=1 subtrees=0 unroll=0 refactor=1");
}

TEST(RecursivePlan, RefusesTextThatIsWrong) {
  EXPECT_EQ(refusal("bk=16 rows=8 fuse=2"), "fuse is 2: a pass is off (0) or on (1)");
  EXPECT_EQ(refusal("bk=16 rows=8 subtrees=7"), "subtrees is 7: a pass is off (0) or on (1)");
  EXPECT_THAT(refusal("bk=0 rows=8"), HasSubstr("bk"));
  EXPECT_THAT(refusal("bk=16 rows=0"), HasSubstr("rows"));
  EXPECT_THAT(refusal("bk=16 rows=8 fuse=-1"), HasSubstr("fuse"));
  EXPECT_THAT(refusal("bk=16 rows=8 fuss=1"), HasSubstr("fuss=1"));
}

TEST(RecursivePlan, SaysWhyAPlanDoesNotFit) {
  EXPECT_EQ(misfit(40, parse_recursive_plan("bk=16 rows=1")), "");
  EXPECT_EQ(misfit(40, parse_recursive_plan("bk=48 rows=1")), "");
  EXPECT_EQ(misfit(40, parse_recursive_plan("bk=24 rows=1")), "bk must be a multiple of 16");
  EXPECT_EQ(misfit(40, parse_recursive_plan("bk=64 rows=1")), "bk must be at most H = 40 rounded up");
  EXPECT_EQ(misfit(40, parse_recursive_plan("bk=16 rows=1 subtrees=1 unroll=1")),
            "only one of subtrees, unroll and refactor may be on");
}

TEST(RecursivePlan, TheDriverRefusesAPlanThatDoesNotFit) {
  const auto driver =
      Recursive::make({&cell_of(RecursiveModel::tree_lstm), 40}, parse_recursive_plan("bk=24 rows=1"), Backend::simd);
  EXPECT_FALSE(driver);
  EXPECT_EQ(driver.status(), Status::misfit);
  EXPECT_EQ(driver.reason(), "bk must be a multiple of 16");
}

TEST(RecursivePlan, TheRuleFitsEverySize) {
  for (std::int64_t H = 1; H <= 600; ++H) {
    for (const int threads : {1, 2, 3, 64}) {
      EXPECT_EQ(misfit(H, plan_recursive(H, {.threads = threads})), "") << H << " " << threads;
    }
  }
}

}  // namespace
}  // namespace brickwork
