#include "primitives/recursive/op/recursive_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

using testing::AllOf;
using testing::HasSubstr;

RecursiveProblem recursive(const std::string& text) { return parse_problem<RecursiveProblem>(text); }

TEST(RecursiveProblem, ReadsItsText) {
  const auto p = recursive("tree-fc perfect H256 N2 S3");
  EXPECT_EQ(to_string(p), "H256_N2_S3_tree-fc_perfect");
  EXPECT_EQ(recursive(to_string(p)), p);
  EXPECT_EQ(p.cell().name(), "tree-fc");
  EXPECT_EQ(to_string(recursive("H8")), "H8_N1_S0_tree-lstm_treebank");
  for (const ModelOf& model : recursive_models()) {
    EXPECT_EQ(recursive(fmt::format("{} sequences H8 S2", model.name)).model, model.model);
  }
}

TEST(RecursiveProblem, MakesItsStructures) {
  EXPECT_EQ(recursive("H8 N3").forest()->structures(), 3);
  EXPECT_EQ(recursive("perfect H8 N2").forest()->nodes(), 2 * 255);
  EXPECT_EQ(recursive("perfect S2 H8 N2").forest()->nodes(), 2 * 7);
  EXPECT_EQ(recursive("dag-rnn grids H8 N2").forest()->nodes(), 2 * 100);
  EXPECT_EQ(recursive("dag-rnn grids S3 H8").forest()->nodes(), 9);
  EXPECT_EQ(recursive("lstm sequences H8 N2").forest()->nodes(), 2 * 100);
  EXPECT_EQ(recursive("lstm sequences S5 H8").forest()->nodes(), 5);
}

TEST(RecursiveProblem, StructuresAreOfTheCellsKind) {
  EXPECT_EQ(recursive("lstm sequences H8").forest()->kind, StructureKind::sequence);
  EXPECT_EQ(recursive("tree-lstm sequences H8").forest()->kind, StructureKind::tree);
  EXPECT_EQ(recursive("dag-rnn sequences H8").forest()->kind, StructureKind::dag);
}

TEST(RecursiveProblem, EqualStructuresAreMadeOnce) {
  const auto forest = recursive("H8 N3").forest();
  EXPECT_EQ(recursive("H16 N3 tree-gru").forest(), forest);
  EXPECT_NE(recursive("H8 N2").forest(), forest);
  EXPECT_EQ(recursive("perfect S7 H8").forest(), recursive("perfect H8").forest());
  for (int n = 1; n <= 100; ++n) recursive(fmt::format("perfect S1 H8 N{}", n));
  EXPECT_EQ(recursive("H8 N3").forest()->nodes(), forest->nodes());
}

TEST(RecursiveProblem, RefusesWrongText) {
  EXPECT_THAT(error_of<RecursiveProblem>("H8 tree-transformer"),
              HasSubstr("a model: tree-fc, tree-rnn, tree-lstm, nary-tree-lstm"));
  EXPECT_THAT(error_of<RecursiveProblem>("H8 forest"),
              HasSubstr("structures: treebank, perfect, grids, sequences, file"));
  EXPECT_THAT(error_of<RecursiveProblem>("tree-lstm"), HasSubstr("lacks H"));
  EXPECT_EQ(error_of<RecursiveProblem>("H0"), "H is 0: it must be from 1 to 2^20");
  EXPECT_EQ(error_of<RecursiveProblem>("H8 N0"), "N is 0: it must be from 1 to 2^20");
  EXPECT_EQ(error_of<RecursiveProblem>("perfect H8 S-1"), "S is -1: it must be from 0 to 2^20");
  EXPECT_EQ(error_of<RecursiveProblem>("H8 S5"), "S is 5, but treebank structures have no size: leave S out");
}

TEST(RecursiveProblem, RefusesStructuresThatDoNotSuitTheCell) {
  EXPECT_EQ(error_of<RecursiveProblem>("tree-lstm grids H8"),
            "tree-lstm takes trees and sequences, and grids are none");
  EXPECT_EQ(error_of<RecursiveProblem>("lstm grids H8"), "lstm takes sequences, and grids are none");
  EXPECT_EQ(error_of<RecursiveProblem>("gru treebank H8"), "gru takes sequences, and trees are none");
  EXPECT_EQ(error_of<RecursiveProblem>("gru perfect H8"), "gru takes sequences, and trees are none");
  for (const char* structures : {"treebank", "perfect", "grids", "sequences"}) {
    EXPECT_EQ(error_of<RecursiveProblem>(fmt::format("dag-rnn H8 {}", structures)), "");
  }
}

TEST(RecursiveProblem, RefusesMoreThanMemoryHolds) {
  EXPECT_THAT(error_of<RecursiveProblem>("perfect S20 H1048576"), HasSubstr("at most 2^40"));
  EXPECT_THAT(error_of<RecursiveProblem>("mv-rnn H1048576"), AllOf(HasSubstr("X has"), HasSubstr("at most 2^40")));
  EXPECT_THAT(error_of<RecursiveProblem>("perfect S1048576 H1"), HasSubstr("height is 1048576"));
  EXPECT_THAT(error_of<RecursiveProblem>("tree-rnn sequences S1048576 N1048576 H1"), HasSubstr("2^30 nodes"));
}

class StructureFile : public testing::Test {
 protected:
  void TearDown() override { set_structure_file(""); }

  std::string set_file(const char* name, const char* trees) {
    const std::string path = testing::TempDir() + name;
    std::ofstream(path) << trees;
    set_structure_file(path);
    return path;
  }
};

TEST_F(StructureFile, ItsFirstTreesAreTaken) {
  set_file("three_trees", "-1\n1 -1\n2 2 -1\n");
  const auto two = recursive("file H8 N2").forest(), three = recursive("file H8 N3").forest();
  EXPECT_EQ(two->structures(), 2);
  EXPECT_EQ(two->nodes(), 3);
  EXPECT_EQ(two->edges(), 1);
  EXPECT_EQ(three->nodes(), 6);
  EXPECT_EQ(three->children_of(5).size(), 2u);
}

TEST_F(StructureFile, AnotherFileHasOtherTrees) {
  set_file("one_node", "-1\n");
  EXPECT_EQ(recursive("file H8").forest()->nodes(), 1);
  set_file("two_nodes", "1 -1\n");
  EXPECT_EQ(recursive("file H8").forest()->nodes(), 2);
}

TEST_F(StructureFile, RefusesMoreTreesThanThereAre) {
  const std::string path = set_file("three_trees", "-1\n1 -1\n2 2 -1\n");
  EXPECT_EQ(error_of<RecursiveProblem>("file H8 N4"), path + " has 3 trees, fewer than N: N is 4");
}

TEST_F(StructureFile, RefusesNodesWithMoreChildrenThanTheCellTakes) {
  set_file("ternary", "1 -1\n3 3 3 -1\n");
  EXPECT_EQ(error_of<RecursiveProblem>("tree-lstm file H8 N2"), "");
  EXPECT_EQ(error_of<RecursiveProblem>("lstm file H8 N1"), "");
  EXPECT_EQ(error_of<RecursiveProblem>("mv-rnn file H8 N2"),
            "a node of structure 1 has 3 children: mv-rnn takes nodes with at most 2");
  EXPECT_EQ(error_of<RecursiveProblem>("lstm file H8 N2"),
            "a node of structure 1 has 3 children: lstm takes nodes with at most 1");
}

TEST_F(StructureFile, MustBeGiven) {
  EXPECT_EQ(error_of<RecursiveProblem>("file H8"),
            "the structures are those of a file, but no file is given: set one, or take other structures");
}

}  // namespace
}  // namespace brickwork
