#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "primitives/recursive/structures/structure_files.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"
#include "primitives/recursive/structures/testing/treebank_statistics.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kTreesOfTheTreebank = 11'855;
constexpr double kTolerance = 0.05;

// Counted in all trees of the Stanford Sentiment Treebank (Socher et al., EMNLP 2013).
const TreeStatistics kTreebank = {
    {"mean number of leaves", 19.168},       {"median number of leaves", 18},
    {"90th percentile of leaves", 32},       {"mean height", 9.845},
    {"90th percentile of heights", 15},      {"mean number of levels of ten trees", 16.954},
    {"mean height with 5 leaves", 3.646},    {"mean height with 10 leaves", 6.746},
    {"mean height with 20 leaves", 10.627},  {"mean height with 30 leaves", 13.729},
    {"share of nodes in level 0", 0.51339},  {"share of nodes in level 1", 0.12023},
    {"share of nodes in level 2", 0.07838},  {"share of nodes in level 3", 0.05721},
    {"share of nodes in level 4", 0.04500},  {"share of nodes in level 5", 0.03679},
    {"share of nodes in level 6", 0.03080},  {"share of nodes in level 7", 0.02583},
    {"share of nodes in level 8", 0.02163},  {"share of nodes in level 9", 0.01790},
    {"share of nodes in level 10", 0.01434},
};

// Adds a tree of so many leaves whose nodes have equally many on both sides, or one more. Returns its root.
std::int32_t add_balanced(ChildrenOfNodes& nodes, std::int64_t leaves) {
  std::vector<std::int32_t> children;
  if (leaves > 1) children = {add_balanced(nodes, leaves / 2), add_balanced(nodes, leaves - leaves / 2)};
  nodes.push_back(children);
  return static_cast<std::int32_t>(nodes.size()) - 1;
}

// Balanced trees with as many leaves as these trees have.
Forest balanced(const Forest& trees) {
  Forest forest;
  for (const double leaves : TreeMeasures(trees).leaves) {
    ChildrenOfNodes nodes;
    add_balanced(nodes, static_cast<std::int64_t>(leaves));
    forest.add(nodes);
  }
  return forest;
}

TEST(TreebankTrees, HaveTheStatisticsOfTheTreebank) {
  EXPECT_EQ(first_difference(tree_statistics(treebank_trees(kTreesOfTheTreebank)), kTreebank, kTolerance), "");
}

// The comparison finds trees of the right sizes and the wrong heights, and the other way round.
TEST(TreebankTrees, DifferFromBalancedAndFromPerfectTrees) {
  const TreeStatistics of_balanced = tree_statistics(balanced(treebank_trees(kTreesOfTheTreebank)));
  EXPECT_EQ(first_difference(of_balanced, kTreebank, kTolerance), "the mean height is 4.485 instead of 9.845");
  EXPECT_EQ(first_difference(tree_statistics(perfect_trees(100, 4)), kTreebank, kTolerance),
            "the mean number of leaves is 16 instead of 19.17");
}

TEST(TreebankTrees, AreComparedByEachStatistic) {
  for (std::size_t i = 0; i < kTreebank.size(); ++i) {
    for (const double factor : {0.94, 1.06, std::numeric_limits<double>::quiet_NaN()}) {
      TreeStatistics changed = kTreebank;
      changed[i].value *= factor;
      EXPECT_EQ(first_difference(changed, kTreebank, kTolerance).find("the " + changed[i].name + " is "), 0U);
    }
  }
}

// The treebank's licence keeps it out of this repository. A copy beside the checkout confirms the numbers above.
TEST(TreebankTrees, AreLikeTheTreebankItself) {
  auto folder = std::filesystem::path(__FILE__);
  for (const char* down : {"structures", "recursive", "primitives"}) {
    folder = folder.parent_path();
    ASSERT_EQ(folder.filename(), down);
  }
  const auto file = folder.parent_path().parent_path() / "shared" / "data" / "sst_parents.txt";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "there is no " << file;
  const Forest trees = read_trees(file);
  EXPECT_EQ(trees.structures(), kTreesOfTheTreebank);
  const TreeStatistics treebank = tree_statistics(trees);
  EXPECT_EQ(first_difference(treebank, kTreebank, 0.001), "");
  EXPECT_EQ(first_difference(tree_statistics(treebank_trees(kTreesOfTheTreebank)), treebank, kTolerance), "");
}

}  // namespace
}  // namespace brickwork
