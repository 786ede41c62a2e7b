#include "baselines/recursive/product_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "primitives/recursive/op/cells.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The weights of each sum, from operand to operand: "U_i0 U_i1".
std::vector<std::string> weights_of(const Cell& cell, const ProductGroup& group) {
  std::vector<std::string> all;
  for (const ProductGroup::Sum& sum : group.sums) {
    std::string names;
    for (const int weight : sum.weights)
      names += (names.empty() ? "" : " ") + cell.weights()[static_cast<std::size_t>(weight)];
    all.push_back(names);
  }
  return all;
}

TEST(ProductGroups, GatesOfTheSameOperandGoTogether) {
  const Cell& cell = cell_of(RecursiveModel::tree_lstm);
  const auto groups = product_groups(cell, /*leaf=*/false).groups;
  ASSERT_EQ(groups.size(), 2u);
  for (const ProductGroup& group : groups) {
    EXPECT_TRUE(group.has_bias());
    EXPECT_EQ(group.operands.size(), 1u);
    if (group.over == Over::edge) {
      EXPECT_THAT(weights_of(cell, group), ElementsAre("U_f"));
    } else {
      EXPECT_THAT(weights_of(cell, group), ElementsAre("U_i", "U_o", "U_u"));
    }
  }
}

TEST(ProductGroups, ASumOfProductsIsOneProductOfTheOperandsSideBySide) {
  const Cell& cell = cell_of(RecursiveModel::nary_tree_lstm);
  const auto groups = product_groups(cell, /*leaf=*/false).groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].operands.size(), 2u);
  EXPECT_THAT(weights_of(cell, groups[0]),
              ElementsAre("U_i0 U_i1", "U_o0 U_o1", "U_u0 U_u1", "U_left0 U_left1", "U_right0 U_right1"));
}

TEST(ProductGroups, AProductThatNeedsAGateIsAGroupOfItsOwn) {
  const Cell& cell = cell_of(RecursiveModel::tree_gru);
  std::vector<std::vector<std::string>> all;
  for (const ProductGroup& group : product_groups(cell, /*leaf=*/false).groups) all.push_back(weights_of(cell, group));
  EXPECT_THAT(all, testing::UnorderedElementsAre(ElementsAre("U_r", "U_z"), ElementsAre("U_h")));
}

TEST(ProductGroups, LeavesHaveSumsWithoutOperands) {
  const auto groups = product_groups(cell_of(RecursiveModel::tree_lstm), /*leaf=*/true).groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(groups[0].operands, IsEmpty());
  EXPECT_EQ(groups[0].sums.size(), 3u);
}

TEST(ProductGroups, ProductsOfInputsStandOutside) {
  const Cell& cell = cell_of(RecursiveModel::lstm);
  const auto outside = outside_products(cell);
  ASSERT_EQ(outside.size(), 1u);
  EXPECT_EQ(outside[0].weights.size(), 4u);
  const auto groups = product_groups(cell, /*leaf=*/false).groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].operands.size(), 1u);
  EXPECT_THAT(outside_products(cell_of(RecursiveModel::tree_lstm)), IsEmpty());
}

}  // namespace
}  // namespace brickwork
