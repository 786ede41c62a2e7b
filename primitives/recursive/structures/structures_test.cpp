#include "primitives/recursive/structures/structures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>

#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::int32_t> level_sizes(const Forest& forest) {
  Linearizer linearize(2);
  std::vector<std::int32_t> sizes;
  for (const Level level : linearize(forest).levels) sizes.push_back(level.size());
  return sizes;
}

TEST(Structures, PerfectTreesHaveAllLeavesInOneLevel) {
  const Forest f = perfect_trees(3, 2);
  EXPECT_EQ(f.kind, StructureKind::tree);
  EXPECT_THAT(f.first_node, ElementsAre(0, 7, 14, 21));
  EXPECT_THAT(f.children_of(0), ElementsAre(1, 2));
  EXPECT_THAT(f.children_of(2), ElementsAre(5, 6));
  EXPECT_THAT(f.children_of(3), IsEmpty());
  EXPECT_THAT(f.children_of(8), ElementsAre(10, 11));
  EXPECT_THAT(level_sizes(f), ElementsAre(12, 6, 3));
}

TEST(Structures, GridsHaveALevelForEachDiagonal) {
  const Forest f = grids(2, 3);
  EXPECT_EQ(f.kind, StructureKind::dag);
  EXPECT_THAT(f.first_node, ElementsAre(0, 9, 18));
  EXPECT_THAT(f.children_of(0), IsEmpty());
  EXPECT_THAT(f.children_of(2), ElementsAre(1));
  EXPECT_THAT(f.children_of(3), ElementsAre(0));
  EXPECT_THAT(f.children_of(5), ElementsAre(2, 4));
  EXPECT_THAT(f.children_of(9 + 8), ElementsAre(9 + 5, 9 + 7));
  EXPECT_THAT(level_sizes(f), ElementsAre(2, 4, 6, 4, 2));
}

TEST(Structures, SequencesHaveALevelForEachStep) {
  const Forest f = sequences(2, 4);
  EXPECT_EQ(f.kind, StructureKind::sequence);
  EXPECT_THAT(f.first_node, ElementsAre(0, 4, 8));
  EXPECT_THAT(f.children, ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_THAT(level_sizes(f), ElementsAre(2, 2, 2, 2));
}

TEST(Structures, OfOneNodeAreGridsAndSequences) {
  EXPECT_THAT(level_sizes(grids(2, 1)), ElementsAre(2));
  EXPECT_THAT(level_sizes(sequences(2, 1)), ElementsAre(2));
}

TEST(Structures, TreebankTreesAreBinaryAndHaveChildrenBeforeTheirParents) {
  const Forest f = treebank_trees(200);
  EXPECT_EQ(f.kind, StructureKind::tree);
  EXPECT_EQ(f.structures(), 200);
  for (std::int32_t node = 0; node < f.nodes(); ++node) {
    const auto children = f.children_of(node);
    if (children.empty()) continue;
    ASSERT_EQ(children.size(), 2U);
    EXPECT_LT(children[0], children[1]);
    EXPECT_LT(children[1], node);
  }
}

TEST(Structures, TreebankTreesDoNotDependOnTheirNumber) {
  const Forest few = treebank_trees(5), many = treebank_trees(20);
  EXPECT_TRUE(std::equal(few.first_node.begin(), few.first_node.end(), many.first_node.begin()));
  EXPECT_TRUE(std::equal(few.first_child.begin(), few.first_child.end(), many.first_child.begin()));
  EXPECT_TRUE(std::equal(few.children.begin(), few.children.end(), many.children.begin()));
}

// Experiments on different machines run on the same trees.
TEST(Structures, TreebankTreesAreTheSameEverywhere) {
  const Forest f = treebank_trees(1000);
  EXPECT_THAT(std::vector(f.first_node.begin(), f.first_node.begin() + 11),
              ElementsAre(0, 39, 72, 99, 134, 215, 234, 299, 310, 369, 374));
  EXPECT_EQ(f.nodes(), 36458);
  EXPECT_THAT(level_sizes(treebank_trees(1)), ElementsAre(20, 6, 4, 2, 2, 1, 1, 1, 1, 1));
}

std::string refusal_of_arguments(const std::function<Forest()>& make) {
  try {
    make();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Structures, RefuseArgumentsBelowOne) {
  EXPECT_EQ(refusal_of_arguments([] { return treebank_trees(0); }), "count is 0: it must be at least 1");
  EXPECT_EQ(refusal_of_arguments([] { return perfect_trees(0, 3); }), "count is 0: it must be at least 1");
  EXPECT_EQ(refusal_of_arguments([] { return perfect_trees(3, 0); }), "height is 0: it must be at least 1");
  EXPECT_EQ(refusal_of_arguments([] { return grids(-1, 3); }), "count is -1: it must be at least 1");
  EXPECT_EQ(refusal_of_arguments([] { return grids(3, 0); }), "side is 0: it must be at least 1");
  EXPECT_EQ(refusal_of_arguments([] { return sequences(0, 3); }), "count is 0: it must be at least 1");
  EXPECT_EQ(refusal_of_arguments([] { return sequences(3, -2); }), "length is -2: it must be at least 1");
}

TEST(Structures, RefuseTooManyNodes) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(
      refusal_of_arguments([] { return treebank_trees(kHuge); }),
      "count is 9223372036854775807 and a structure has up to 113 nodes: together, at most 2^30 nodes are allowed");
  EXPECT_EQ(refusal_of_arguments([] { return sequences(3, 1 << 29); }),
            "count is 3 and a structure has up to 536870912 nodes: together, at most 2^30 nodes are allowed");
  EXPECT_EQ(refusal_of_arguments([] { return sequences(1, kHuge); }),
            "count is 1 and a structure has up to 9223372036854775807 nodes: together, at most 2^30 nodes are allowed");
  EXPECT_EQ(refusal_of_arguments([] { return perfect_trees(2, 29); }),
            "count is 2 and a structure has up to 1073741823 nodes: together, at most 2^30 nodes are allowed");
  EXPECT_EQ(refusal_of_arguments([] { return perfect_trees(1, 30); }), "height is 30: it must be at most 29");
  EXPECT_EQ(refusal_of_arguments([] { return perfect_trees(1, kHuge); }),
            "height is 9223372036854775807: it must be at most 29");
  EXPECT_EQ(refusal_of_arguments([] { return grids(2, 1 << 15); }),
            "count is 2 and a structure has up to 1073741824 nodes: together, at most 2^30 nodes are allowed");
  EXPECT_EQ(refusal_of_arguments([] { return grids(1, kHuge); }),
            "side is 9223372036854775807: it must be at most 2^15");
}

}  // namespace
}  // namespace brickwork
