#include "experiments/learning/listops.hpp"

#include <gtest/gtest.h>

#include <map>

#include "experiments/learning/testing/listops_text.hpp"

namespace brickwork {
namespace {

std::int32_t value(const std::string& text) { return listops_value(listops_of(text)); }

TEST(ListOps, KnownExpressionsHaveTheirValues) {
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value("[MAX 2 9 0 ]"), 9);
  EXPECT_EQ(value("[MIN 2 9 4 ]"), 2);
  EXPECT_EQ(value("[SM 9 8 7 ]"), 4);
  EXPECT_EQ(value("[SM 5 5 ]"), 0);
  EXPECT_EQ(value("[MED 9 1 4 ]"), 4);
  EXPECT_EQ(value("[MED 9 9 1 0 5 ]"), 5);
  EXPECT_EQ(value("[MED 8 3 ]"), 5);  // 5.5, rounded down
  EXPECT_EQ(value("[MED 0 9 6 5 ]"), 5);
  EXPECT_EQ(value("[MAX 2 9 [MIN 4 7 ] 0 ]"), 9);
  EXPECT_EQ(value("[MAX [MED [SM 6 6 6 ] 9 ] [MIN 9 [MAX 3 7 ] ] 1 ]"), 8);
}

TEST(ListOps, TheOrderOfArgumentsDoesNotMatter) {
  for (const char* operation : {"[MAX ", "[MIN ", "[MED ", "[SM "}) {
    EXPECT_EQ(value(std::string(operation) + "3 8 1 6 ]"), value(std::string(operation) + "6 1 3 8 ]"));
  }
}

TEST(ListOps, TheTextIsThePapers) {
  for (const char* text : {"7", "[MAX 2 9 [MIN 4 7 ] 0 ]", "[MED [SM 1 2 ] 3 ]"}) {
    EXPECT_EQ(listops_text(listops_of(text)), text);
  }
}

TEST(ListOps, TheDepthIsThatOfTheDeepestOperation) {
  EXPECT_EQ(listops_depth(listops_of("7")), 0);
  EXPECT_EQ(listops_depth(listops_of("[MAX 2 9 ]")), 1);
  EXPECT_EQ(listops_depth(listops_of("[MAX 2 [MIN 4 7 ] [MED 1 [SM 2 2 ] ] 3 ]")), 3);
}

TEST(ListOps, DrawnExpressionsHaveTheirDepthAndTwoToFiveArguments) {
  Random random(1);
  std::map<std::size_t, int> arguments;
  for (int depth = 0; depth <= 5; ++depth) {
    for (int i = 0; i < 200; ++i) {
      const ListOpsExpression drawn = draw_listops(depth, random);
      ASSERT_EQ(listops_depth(drawn), depth) << listops_text(drawn);
      std::vector<std::size_t> counts{0};
      for (const std::int32_t token : drawn) {
        if (token == kClosing) {
          ++arguments[counts.back()];
          counts.pop_back();
        } else {
          ++counts.back();
          if (token >= kMaximum) counts.push_back(0);
        }
      }
      ASSERT_EQ(counts, std::vector<std::size_t>{1}) << listops_text(drawn);
    }
  }
  ASSERT_EQ(arguments.size(), 4U);
  for (const auto& [count, times] : arguments) EXPECT_TRUE(count >= 2 && count <= 5 && times > 500) << count;
}

TEST(ListOps, EqualSeedsDrawEqualExpressions) {
  Random one(3), again(3), other(4);
  bool differ = false;
  for (int i = 0; i < 20; ++i) {
    const ListOpsExpression drawn = draw_listops(3, one);
    EXPECT_EQ(draw_listops(3, again), drawn);
    differ = differ || draw_listops(3, other) != drawn;
  }
  EXPECT_TRUE(differ);
}

}  // namespace
}  // namespace brickwork
