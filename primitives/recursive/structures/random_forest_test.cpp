#include "primitives/recursive/structures/testing/random_forest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork {
namespace {

constexpr int kStructures = 300;

Forest many_random(StructureKind kind) {
  std::mt19937 random(2);
  return random_forest({.kind = kind, .structures = kStructures, .most_nodes = 30, .most_children = 3}, random);
}

// Of each number of children, how many nodes have it.
std::vector<int> nodes_by_children(const Forest& forest) {
  std::vector<int> nodes(4);
  for (std::int32_t node = 0; node < forest.nodes(); ++node) ++nodes.at(forest.children_of(node).size());
  return nodes;
}

TEST(RandomForest, HasSingleNodesAndLargeStructures) {
  for (const auto kind : {StructureKind::tree, StructureKind::dag, StructureKind::sequence}) {
    const Forest forest = many_random(kind);
    ASSERT_EQ(forest.structures(), kStructures);
    std::set<std::int32_t> sizes;
    for (std::size_t s = 0; s < kStructures; ++s) sizes.insert(forest.first_node[s + 1] - forest.first_node[s]);
    EXPECT_EQ(*sizes.begin(), 1);
    EXPECT_EQ(*sizes.rbegin(), 30);
  }
}

TEST(RandomForest, HasNodesWithEveryNumberOfChildren) {
  for (const auto kind : {StructureKind::tree, StructureKind::dag}) {
    EXPECT_GT(std::ranges::min(nodes_by_children(many_random(kind))), 50);
  }
  EXPECT_EQ(nodes_by_children(many_random(StructureKind::sequence))[2], 0);
  EXPECT_GT(nodes_by_children(many_random(StructureKind::sequence))[1], 1000);
}

TEST(RandomForest, HasDeepStructures) {
  for (const auto kind : {StructureKind::tree, StructureKind::dag, StructureKind::sequence}) {
    Linearizer linearize(3);
    EXPECT_GT(linearize(many_random(kind)).levels.size(), 8U);
  }
}

TEST(RandomForest, HasChildrenThatRepeatInDags) {
  const Forest forest = many_random(StructureKind::dag);
  int repeats = 0;
  for (std::int32_t node = 0; node < forest.nodes(); ++node) {
    const auto children = forest.children_of(node);
    repeats += std::set<std::int32_t>(children.begin(), children.end()).size() < children.size();
  }
  EXPECT_GT(repeats, 50);
}

TEST(RandomForest, HasParentsBeforeAndAfterTheirChildren) {
  for (const auto kind : {StructureKind::tree, StructureKind::dag, StructureKind::sequence}) {
    const Forest forest = many_random(kind);
    int before = 0;
    for (std::int32_t node = 0; node < forest.nodes(); ++node) {
      for (const std::int32_t child : forest.children_of(node)) before += node < child;
    }
    EXPECT_GT(before, forest.edges() / 4);
    EXPECT_LT(before, forest.edges() * 3 / 4);
  }
}

}  // namespace
}  // namespace brickwork
