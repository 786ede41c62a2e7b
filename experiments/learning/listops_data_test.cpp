#include "experiments/learning/listops_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "experiments/learning/testing/listops_text.hpp"

namespace brickwork {
namespace {

constexpr std::size_t kListOpsTests = 2048;

const ListOpsData& listops_data() {
  static const ListOpsData made(kListOpsTests);
  return made;
}

std::set<std::string> texts(const std::vector<ListOpsExpression>& expressions) {
  std::set<std::string> all;
  for (const ListOpsExpression& expression : expressions) all.insert(listops_text(expression));
  return all;
}

TEST(ListOpsData, NoTestExpressionIsEverDrawn) {
  const std::set<std::string> tests = texts(listops_data().test());
  EXPECT_EQ(tests.size(), kListOpsTests);
  Random random(0), unchecked(0);  // the seed of the test expressions: it would draw all of them again
  int known = 0;
  for (std::size_t i = 0; i < 4 * kListOpsTests; ++i) {
    EXPECT_FALSE(tests.contains(listops_text(listops_data().draw(kListOpsDepth, random))));
    known += tests.contains(listops_text(draw_listops(1, unchecked))) ? 1 : 0;
  }
  EXPECT_GT(known, 100);  // without the check
}

TEST(ListOpsData, EqualSeedsDrawEqualExpressionsAndTestsAreTheSameInEveryRun) {
  EXPECT_EQ(ListOpsData(kListOpsTests).test(), listops_data().test());
  Random one(5), again(5), other(6);
  EXPECT_EQ(listops_data().draw(5, one), listops_data().draw(5, again));
  EXPECT_NE(listops_data().draw(5, one), listops_data().draw(5, other));
}

TEST(ListOpsData, DepthsAndValuesAreBalancedAndLengthsBounded) {
  std::map<int, int> depths;
  std::array<int, kListOpsDigits> values{};
  for (const ListOpsExpression& expression : listops_data().test()) {
    ++depths[listops_depth(expression)];
    ++values[static_cast<std::size_t>(listops_value(expression))];
    EXPECT_LE(expression.size(), kMostListOpsTokens);
  }
  ASSERT_THAT(depths, testing::SizeIs(5));
  for (const auto& [depth, count] : depths)
    EXPECT_NEAR(count, kListOpsTests / 5.0, kListOpsTests * 0.04) << "depth " << depth;
  for (const int count : values) EXPECT_NEAR(count, kListOpsTests / 10.0, kListOpsTests * 0.03);
}

TEST(ListOpsData, ShallowExpressionsCanBeAskedFor) {
  Random random(1);
  std::set<int> depths;
  for (int i = 0; i < 100; ++i) depths.insert(listops_depth(listops_data().draw(2, random)));
  EXPECT_THAT(depths, testing::ElementsAre(1, 2));
}

const ListOpsExpression kExpressions[] = {listops_of("[MAX 2 [MIN 4 7 ] ]"), listops_of("[SM 1 1 ]")};

std::vector<std::vector<std::int32_t>> children_in(const Forest& forest) {
  std::vector<std::vector<std::int32_t>> all;
  for (std::int32_t node = 0; node < forest.nodes(); ++node) {
    const auto of_node = forest.children_of(node);
    all.emplace_back(of_node.begin(), of_node.end());
  }
  return all;
}

TEST(ListOpsData, ATreeHasTheArgumentsBelowTheirOperationAndTheOperationBelowItsBracket) {
  const TokenForest made = listops_minibatch(kExpressions, ListOpsStructure::tree);
  EXPECT_EQ(made.forest.kind, StructureKind::tree);
  EXPECT_THAT(made.tokens, testing::ElementsAre(kMaximum, 2, kMinimum, 4, 7, kClosing, kClosing, kSum, 1, 1, kClosing));
  const std::vector<std::vector<std::int32_t>> expected{{1, 5}, {}, {3, 4}, {}, {}, {2}, {0}, {8, 9}, {}, {}, {7}};
  EXPECT_EQ(children_in(made.forest), expected);
  EXPECT_THAT(made.roots, testing::ElementsAre(6, 10));
}

TEST(ListOpsData, ASequenceHasTheTokensInTheirOrder) {
  const TokenForest made = listops_minibatch(kExpressions, ListOpsStructure::sequence);
  EXPECT_EQ(made.forest.kind, StructureKind::sequence);
  EXPECT_EQ(made.tokens, listops_minibatch(kExpressions, ListOpsStructure::tree).tokens);
  const std::vector<std::vector<std::int32_t>> expected{{}, {0}, {1}, {2}, {3}, {4}, {5}, {}, {7}, {8}, {9}};
  EXPECT_EQ(children_in(made.forest), expected);
  EXPECT_THAT(made.roots, testing::ElementsAre(6, 10));
}

TEST(ListOpsData, TheValuesAreThoseOfTheExpressions) {
  EXPECT_THAT(listops_values(kExpressions), testing::ElementsAre(4, 2));
}

}  // namespace
}  // namespace brickwork
