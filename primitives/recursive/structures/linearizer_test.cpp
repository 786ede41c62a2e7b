#include "primitives/recursive/structures/linearizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/structures/testing/levels_check.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

Forest forest_of(StructureKind kind, const std::vector<ChildrenOfNodes>& structures) {
  Forest forest{.kind = kind};
  for (const auto& structure : structures) forest.add(structure);
  return forest;
}

// Why a linearizer for nodes of at most three children refuses the forest; empty if it takes it.
std::string refusal_of(const Forest& forest) {
  try {
    Linearizer linearize(3);
    linearize(forest);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

std::string refusal_of(StructureKind kind, const std::vector<ChildrenOfNodes>& structures) {
  return refusal_of(forest_of(kind, structures));
}

constexpr auto kTree = StructureKind::tree, kDag = StructureKind::dag, kSequence = StructureKind::sequence;

// Two trees: node 2 over leaves 0 and 1; node 3 over leaf 4 and node 5, which is over leaf 6.
TEST(Linearizer, PutsLeavesLastAndChildrenAfterTheirParents) {
  Linearizer linearize(2, 3);
  const Levels& l = linearize(forest_of(kTree, {{{}, {}, {0, 1}}, {{1, 2}, {}, {3}, {}}}));
  EXPECT_EQ(l.nodes, 7);
  EXPECT_EQ(l.edges, 5);
  EXPECT_EQ(l.first_leaf, 3);
  EXPECT_THAT(l.node, ElementsAre(3, 2, 5, 0, 1, 4, 6));
  EXPECT_THAT(l.place, ElementsAre(3, 4, 1, 0, 5, 2, 6));
  ASSERT_EQ(l.levels.size(), 3U);
  EXPECT_EQ(l.levels[0].begin, 3);
  EXPECT_EQ(l.levels[0].end, 7);
  EXPECT_EQ(l.levels[1].begin, 1);
  EXPECT_EQ(l.levels[1].end, 3);
  EXPECT_EQ(l.levels[2].begin, 0);
  EXPECT_EQ(l.levels[2].end, 1);
  EXPECT_THAT(l.first_edge, ElementsAre(0, 2, 4, 5, 5, 5, 5, 5));
  EXPECT_THAT(l.parent, ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(l.child, ElementsAre(5, 2, 3, 4, 6));
  EXPECT_THAT(l.first_use, ElementsAre(0, 0, 0, 1, 2, 3, 4, 5));
  EXPECT_THAT(l.uses, ElementsAre(1, 2, 3, 0, 4));
  EXPECT_THAT(l.child_at, ElementsAre(5, 3, 6, -1, -1, -1, -1,   //
                                      2, 4, -1, -1, -1, -1, -1,  //
                                      -1, -1, -1, -1, -1, -1, -1));
}

TEST(Linearizer, ListsEveryUseOfAChild) {
  Linearizer linearize(2, 2);
  const Levels& l = linearize(forest_of(kDag, {{{1, 2}, {2, 2}, {}}}));
  EXPECT_THAT(l.node, ElementsAre(0, 1, 2));
  EXPECT_THAT(l.child, ElementsAre(1, 2, 2, 2));
  EXPECT_THAT(l.first_use, ElementsAre(0, 0, 1, 4));
  EXPECT_THAT(l.uses, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(l.child_at, ElementsAre(1, 2, -1, 2, 2, -1));
}

TEST(Linearizer, HasAllPropertiesOnRandomForests) {
  std::mt19937 random(1);
  for (const StructureKind kind : {kTree, kDag, kSequence}) {
    for (int i = 0; i < 300; ++i) {
      const RandomForest r{.kind = kind,
                           .structures = 1 + random_below(12, random),
                           .most_nodes = 1 + random_below(60, random),
                           .most_children = 1 + random_below(5, random)};
      const Forest forest = random_forest(r, random);
      const std::int32_t positions = random_below(r.most_children + 2, random);
      for (const LevelOrder order : {LevelOrder::numbers, LevelOrder::parents, LevelOrder::subtrees}) {
        Linearizer linearize(r.most_children, positions, order, /*threads=*/1 + i % 4);
        ASSERT_EQ(violations(forest, linearize(forest), order), "")
            << "kind " << static_cast<int>(kind) << ", order " << static_cast<int>(order) << ", forest " << i;
      }
    }
  }
}

TEST(Linearizer, HasAllPropertiesOnMadeStructures) {
  Linearizer linearize(2, 2);
  for (const Forest& forest : {treebank_trees(20), perfect_trees(2, 5), grids(2, 7), sequences(3, 11)}) {
    EXPECT_EQ(violations(forest, linearize(forest)), "");
  }
}

TEST(Linearizer, TakesAChainOfAMillionNodes) {
  Linearizer linearize(1);
  const Levels& l = linearize(sequences(1, 1'000'000));
  EXPECT_EQ(l.levels.size(), 1'000'000U);
  EXPECT_EQ(l.node.front(), 999'999);
}

// Every array of the result, by its memory.
std::vector<const void*> memory_of(const Levels& l) {
  return {l.levels.data(), l.node.data(), l.place.data(),     l.first_edge.data(), l.parent.data(),
          l.child.data(),  l.uses.data(), l.first_use.data(), l.child_at.data()};
}

TEST(Linearizer, ReusesItsMemory) {
  const Forest large = treebank_trees(20), small = treebank_trees(10);
  Linearizer linearize(2, 2);
  const auto before = memory_of(linearize(large));
  EXPECT_EQ(memory_of(linearize(large)), before);
  EXPECT_EQ(memory_of(linearize(small)), before);
  EXPECT_EQ(violations(small, linearize(small)), "");
  EXPECT_EQ(violations(large, linearize(large)), "");
}

TEST(Linearizer, IsOfUseAfterARefusal) {
  Linearizer linearize(2, 2);
  const Forest good = treebank_trees(3);
  linearize(treebank_trees(5));
  EXPECT_THROW(linearize(forest_of(kDag, {{{1}, {2}, {1}}})), std::invalid_argument);
  EXPECT_EQ(violations(good, linearize(good)), "");
}

TEST(Linearizer, RefusesCycles) {
  EXPECT_EQ(refusal_of(kDag, {{{}}, {{1}, {2, 3}, {1}, {}}}),
            "structure 1: node 1 is on a cycle, but no node may be below itself");
  EXPECT_EQ(refusal_of(kTree, {{{0}}}), "structure 0: node 0 is on a cycle, but no node may be below itself");
  EXPECT_EQ(refusal_of(kSequence, {{{2}, {0}, {1}}}),
            "structure 0: node 0 is on a cycle, but no node may be below itself");
  // Nodes 0 and 1 are below the cycle of nodes 4, 2 and 3.
  EXPECT_EQ(refusal_of(kDag, {{{1}, {}, {3}, {4, 0}, {2}}}),
            "structure 0: node 2 is on a cycle, but no node may be below itself");
  // Nodes 0 and 3 are below the cycle of nodes 1 and 2.
  EXPECT_EQ(refusal_of(kDag, {{{3}, {2, 0}, {1}, {}}}),
            "structure 0: node 1 is on a cycle, but no node may be below itself");
}

TEST(Linearizer, RefusesASecondParentExceptInADag) {
  EXPECT_EQ(
      refusal_of(kTree, {{{}}, {{}, {0}, {1, 0}}}),
      "structure 1: node 0 is a child of node 1 and again of node 2, but a node of a tree has at most one parent");
  EXPECT_EQ(
      refusal_of(kTree, {{{1, 1}, {}}}),
      "structure 0: node 1 is a child of node 0 and again of node 0, but a node of a tree has at most one parent");
  EXPECT_EQ(
      refusal_of(kSequence, {{{2}, {2}, {}}}),
      "structure 0: node 2 is a child of node 0 and again of node 1, but a node of a sequence has at most one parent");
  EXPECT_EQ(refusal_of(kDag, {{{}}, {{}, {0}, {1, 0}}}), "");
}

TEST(Linearizer, RefusesChildrenThatDoNotExist) {
  EXPECT_EQ(refusal_of(kTree, {{{}, {}}, {{}, {3}, {}}}),
            "structure 1: node 1 has the child 3, which does not exist: the structure's nodes are 0 to 2");
  EXPECT_EQ(refusal_of(kTree, {{{}, {}}, {{}, {-1}, {}}}),
            "structure 1: node 1 has the child -1, which does not exist: the structure's nodes are 0 to 2");
  EXPECT_EQ(refusal_of(kDag, {{{1}}, {{}}}),
            "structure 0: node 0 has the child 1, which does not exist: the structure's nodes are 0 to 0");
  for (const std::int32_t wrong : {2147483647, -2147483647 - 1}) {
    EXPECT_EQ(
        refusal_of(kTree, {{{}, {}}, {{}, {wrong}, {}}}),
        fmt::format("structure 1: node 1 has the child {}, which does not exist: the structure's nodes are 0 to 2",
                    wrong));
  }
}

TEST(Linearizer, RefusesTooManyChildren) {
  EXPECT_EQ(refusal_of(kTree, {{{}}, {{}, {}, {}, {}, {0, 1, 2, 3}}}),
            "structure 1: node 4 has 4 children: at most 3 are allowed");
  EXPECT_EQ(refusal_of(kSequence, {{{}, {}, {1, 0}}}),
            "structure 0: node 2 has 2 children, but a node of a sequence has at most 1");
  EXPECT_THROW(Linearizer(0)(sequences(1, 2)), std::invalid_argument);
}

TEST(Linearizer, RefusesAnEmptyStructureAndAnEmptyMinibatch) {
  EXPECT_EQ(refusal_of(kTree, {}), "there is no structure: a minibatch has at least one");
  EXPECT_EQ(refusal_of(kTree, {{{}}, {}, {{}}}), "structure 1 is empty: it needs at least one node");
}

TEST(Linearizer, RefusesAForestWhoseArraysDisagree) {
  const auto expect_refused = [](const auto& spoil) {
    Forest forest = perfect_trees(2, 2);
    spoil(forest);
    EXPECT_THROW(refusal_of(forest), std::logic_error);
  };
  expect_refused([](Forest& f) { f.first_node.clear(); });
  expect_refused([](Forest& f) { f.first_node.front() = 1; });
  expect_refused([](Forest& f) { f.first_node[1] = 50; });
  expect_refused([](Forest& f) { f.first_child.clear(); });
  expect_refused([](Forest& f) { f.first_child.front() = 1; });
  expect_refused([](Forest& f) { f.first_child.pop_back(); });
  expect_refused([](Forest& f) { f.first_child[1] = 50; });
  expect_refused([](Forest& f) { f.children.pop_back(); });
  EXPECT_EQ(refusal_of(perfect_trees(2, 2)), "");
}

TEST(Forest, HasRoomFor31BitNumbers) {
  Forest forest;
  forest.first_node.push_back(2147483646);
  EXPECT_NO_THROW(Forest(forest).add(ChildrenOfNodes(1)));
  EXPECT_THROW(forest.add(ChildrenOfNodes(2)), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
