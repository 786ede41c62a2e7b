#include "primitives/recursive/structures/testing/levels_check.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "primitives/recursive/structures/structures.hpp"

namespace brickwork {
namespace {

// The sentence about levels that `spoil` makes wrong. The forest has two perfect trees of 7 nodes: roots have places 0
// and 1, their children 2 to 5, leaves 6 to 13.
template <class Spoil>
std::string violation_after(const Spoil& spoil) {
  const Forest forest = perfect_trees(2, 2);
  Linearizer linearize(2, 2);
  Levels levels = linearize(forest);
  spoil(levels);
  return violations(forest, levels);
}

TEST(LevelsCheck, AcceptsTheResultOfTheLinearizer) {
  EXPECT_EQ(violation_after([](Levels&) {}), "");
}

TEST(LevelsCheck, FindsAWrongChild) {
  EXPECT_EQ(violation_after([](Levels& l) { ++l.child[2]; }), "edge 2: its child is not place 4");
  EXPECT_EQ(violation_after([](Levels& l) { std::swap(l.child[0], l.child[1]); }), "edge 0: its child is not place 2");
  EXPECT_EQ(violation_after([](Levels& l) { ++l.parent[0]; }), "edge 0: its parent is not place 0");
  EXPECT_EQ(violation_after([](Levels& l) { ++l.first_edge[3]; }), "place 3: its first edge is not 6");
  EXPECT_EQ(violation_after([](Levels& l) { --l.first_edge.back(); }),
            "first_edge does not end with the number of edges");
}

TEST(LevelsCheck, FindsALevelOutOfOrder) {
  EXPECT_EQ(violation_after([](Levels& l) { std::swap(l.levels[0], l.levels[1]); }),
            "level 0 does not end at place 14");
  EXPECT_EQ(violation_after([](Levels& l) { std::swap(l.levels[1], l.levels[2]); }), "level 1 does not end at place 6");
  EXPECT_EQ(violation_after([](Levels& l) { l.levels.pop_back(); }), "the last level does not begin at place 0");
  EXPECT_EQ(violation_after([](Levels& l) { l.levels.push_back({}); }), "level 3 is empty");
  EXPECT_EQ(violation_after([](Levels& l) { l.levels[0].begin = l.levels[1].end = 7; }),
            "place 6 is in level 1, but its height is 0");
  EXPECT_EQ(violation_after([](Levels& l) { l.levels[1].begin = l.levels[2].end = 3; }),
            "place 2 is in level 2, but its height is 1");
}

TEST(LevelsCheck, FindsTwoSwappedPlaces) {
  EXPECT_EQ(violation_after([](Levels& l) { std::swap(l.node[6], l.node[7]); }),
            "place 6 has node 4, whose place is 7");
  EXPECT_EQ(violation_after([](Levels& l) { std::swap(l.place[6], l.place[13]); }),
            "place 9 has node 6, whose place is 13");
}

// Swaps leaves with all that follows from their places, so that only the order in the level is wrong.
TEST(LevelsCheck, FindsALevelThatIsNotSorted) {
  EXPECT_EQ(violation_after([](Levels& l) {
              std::swap(l.node[6], l.node[7]);
              std::swap(l.place[3], l.place[4]);
              std::swap(l.child[4], l.child[5]);
              std::swap(l.uses[4], l.uses[5]);
            }),
            "place 7: leaves are not sorted by number");
}

// Each order on levels of another: the roots are nodes 0 and 3, their children 2, 1 and 5, 4.
TEST(LevelsCheck, FindsALevelInAnotherOrder) {
  Forest forest;
  for (int tree = 0; tree < 2; ++tree) forest.add(std::vector<std::vector<std::int32_t>>{{2, 1}, {3}, {4}, {}, {}});
  const auto levels_in = [&](LevelOrder order) { return Levels(Linearizer(2, 0, order, /*threads=*/2)(forest)); };
  const Levels by_number = levels_in(LevelOrder::numbers), by_parent = levels_in(LevelOrder::parents);
  EXPECT_EQ(violations(forest, by_number, LevelOrder::parents), "level 1 is not sorted at place 3");
  EXPECT_EQ(violations(forest, by_parent, LevelOrder::numbers), "level 1 is not sorted at place 3");
  Levels by_owner = levels_in(LevelOrder::subtrees);
  EXPECT_EQ(violations(forest, by_owner, LevelOrder::subtrees), "");
  std::swap(by_owner.owner[2], by_owner.owner[4]);
  EXPECT_EQ(violations(forest, by_owner, LevelOrder::subtrees), "level 1 is not sorted at place 3");
}

// Node 1 has the child 0. Both get each other's place, with all that follows from it.
TEST(LevelsCheck, FindsAChildBeforeItsParent) {
  const Forest forest = sequences(1, 2);
  Linearizer linearize(1);
  Levels levels = linearize(forest);
  levels.node = levels.place = {0, 1};
  levels.first_edge = {0, 0, 1};
  levels.parent = {1};
  levels.child = {0};
  EXPECT_EQ(violations(forest, levels), "edge 0: its child has not a higher place than its parent");
}

TEST(LevelsCheck, FindsWrongUses) {
  EXPECT_EQ(violation_after([](Levels& l) { std::swap(l.uses[0], l.uses[1]); }),
            "place 2: edge 0 is missing in its uses");
  EXPECT_EQ(violation_after([](Levels& l) { ++l.first_use[5]; }), "place 5: its first use is not entry 3");
  EXPECT_EQ(violation_after([](Levels& l) { --l.first_use.back(); }),
            "first_use does not end with the number of edges");
}

TEST(LevelsCheck, FindsWrongLeaves) {
  EXPECT_EQ(violation_after([](Levels& l) { ++l.first_leaf; }),
            "first_leaf is not where the level of the leaves begins");
}

TEST(LevelsCheck, FindsAWrongChildAtAPosition) {
  EXPECT_EQ(violation_after([](Levels& l) { ++l.child_at[2]; }), "place 2: its child at position 0 is not 6");
  EXPECT_EQ(violation_after([](Levels& l) { ++l.child_at[14 + 13]; }), "place 13: its child at position 1 is not -1");
}

TEST(LevelsCheck, FindsArraysOfTheWrongSize) {
  EXPECT_EQ(violation_after([](Levels& l) { ++l.nodes; }), "nodes is 15 instead of 14");
  EXPECT_EQ(violation_after([](Levels& l) { --l.edges; }), "edges is 11 instead of 12");
  EXPECT_EQ(violation_after([](Levels& l) { l.uses.push_back(0); }), "uses has 13 numbers instead of 12");
  EXPECT_EQ(violation_after([](Levels& l) { l.node.clear(); }), "node has 0 numbers instead of 14");
  EXPECT_EQ(violation_after([](Levels& l) { l.child_at.pop_back(); }), "child_at has 27 numbers instead of 14");
}

TEST(LevelsCheck, FindsNumbersOutOfRange) {
  EXPECT_EQ(violation_after([](Levels& l) { l.node[3] = 14; }), "node[3] is 14: it must be from 0 to 13");
  EXPECT_EQ(violation_after([](Levels& l) { l.uses[0] = -1; }), "uses[0] is -1: it must be from 0 to 11");
}

}  // namespace
}  // namespace brickwork
