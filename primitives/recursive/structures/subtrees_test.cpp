#include "primitives/recursive/structures/subtrees.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/recursive/structures/linearizer.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/structures/testing/levels_check.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

// [node]: the thread that owns it, or kShared.
std::vector<std::int32_t> owners_of(const Forest& forest, std::int32_t threads) {
  Linearizer linearize(forest.nodes(), 0, LevelOrder::subtrees, threads);
  const Levels& levels = linearize(forest);
  EXPECT_EQ(violations(forest, levels, LevelOrder::subtrees), "");
  std::vector<std::int32_t> owners;
  for (const std::int32_t place : levels.place) owners.push_back(levels.owner[static_cast<std::size_t>(place)]);
  return owners;
}

bool is_leaf(const Forest& forest, std::int32_t node) { return forest.children_of(node).empty(); }

std::vector<std::int64_t> nodes_of_threads(const std::vector<std::int32_t>& owners, std::int32_t threads) {
  std::vector<std::int64_t> nodes;
  for (std::int32_t thread = 0; thread < threads; ++thread) nodes.push_back(std::ranges::count(owners, thread));
  return nodes;
}

void expect_whole_subtrees(const Forest& forest, const std::vector<std::int32_t>& owners) {
  for (std::int32_t node = 0; node < forest.nodes(); ++node) {
    const std::int32_t owner = owners[static_cast<std::size_t>(node)];
    if (is_leaf(forest, node)) {
      EXPECT_EQ(owner, kShared) << node;
    }
    for (const std::int32_t child : forest.children_of(node)) {
      if (owner == kShared || is_leaf(forest, child)) continue;
      EXPECT_EQ(owners[static_cast<std::size_t>(child)], owner) << node << " " << child;
    }
  }
}

TEST(Subtrees, ThreadsOwnWholeSubtreesOfAboutTheSameSize) {
  std::mt19937 random(1);
  for (int draw = 0; draw < 200; ++draw) {
    const Forest forest = random_forest({.structures = 1 + random_below(6, random),
                                         .most_nodes = 1 + random_below(200, random),
                                         .most_children = 1 + random_below(4, random)},
                                        random);
    std::int64_t inner = 0;
    for (std::int32_t node = 0; node < forest.nodes(); ++node) inner += is_leaf(forest, node) ? 0 : 1;
    for (std::int32_t threads = 1; threads <= 5; ++threads) {
      const auto owners = owners_of(forest, threads);
      expect_whole_subtrees(forest, owners);
      const auto nodes = nodes_of_threads(owners, threads);
      // No piece is larger than half of a thread's share, and the last one goes to the thread that has least.
      EXPECT_LE(std::ranges::max(nodes) - std::ranges::min(nodes), std::max<std::int64_t>(1, inner / (2 * threads)));
    }
  }
}

// The root of a perfect tree with 7 inner nodes is shared, and so are leaves. Each of its two subtrees is cut once more
// for two threads, as it has more than a quarter of the nodes.
TEST(Subtrees, NodesAboveTheSubtreesAreShared) {
  EXPECT_THAT(owners_of(perfect_trees(1, 3), 2), ElementsAre(-1, -1, -1, 1, 0, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1));
}

TEST(Subtrees, OneThreadOwnsStructuresThatAreSmall) {
  const auto owners = owners_of(perfect_trees(8, 2), 1);
  for (std::size_t node = 0; node < owners.size(); ++node) {
    EXPECT_EQ(owners[node], node % 7 < 3 ? 0 : kShared) << node;
  }
}

TEST(Subtrees, SequencesAreCutIntoAnEndThatIsOwnedAndARestThatIsShared) {
  const auto owners = owners_of(sequences(1, 9), 2);  // eight inner nodes, a quarter of them is two
  EXPECT_THAT(owners, ElementsAre(-1, 0, 0, -1, -1, -1, -1, -1, -1));
}

TEST(Subtrees, DagsAreOnlyCutIntoStructures) {
  const Forest forest = grids(5, 3);
  const auto owners = owners_of(forest, 2);
  for (std::int32_t node = 0; node < forest.nodes(); ++node) {
    EXPECT_EQ(owners[static_cast<std::size_t>(node)], is_leaf(forest, node) ? kShared : node / 9 % 2) << node;
  }
}

}  // namespace
}  // namespace brickwork
