#include "baselines/dynet/dynet_recursive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "baselines/contender/checker.hpp"
#include "baselines/dynet/embedded_python.hpp"

namespace brickwork {
namespace {

template <Operation Op>
Checked checked_dynet(const Contender<Op>& contender, const char* text) {
  const auto p = parse_problem<RecursiveProblem>(text);
  return check(contender, p, make_checkable_test_data<Op>(p, Fill::floats), {.threads = 2});
}

TEST(DynetRecursive, IsRight) {
  // Nodes have one, two, three and more children.
  const auto path = std::filesystem::path(testing::TempDir()) / "dynet_recursive_trees.txt";
  std::ofstream(path) << "-1 0 0 0 1 1 4 3 3 3 3\n1 4 1 4 -1 0 0\n-1 0 1 1 3 3 3\n";
  set_structure_file(path.string());
  for (const char* text :
       {"tree-fc perfect H8 N1 S3", "tree-fc treebank H17 N2", "tree-rnn treebank H16 N2", "tree-rnn file H5 N3",
        "tree-lstm treebank H33 N2", "tree-lstm file H7 N3", "tree-lstm perfect H16 N2 S3",
        "nary-tree-lstm treebank H9 N2", "nary-tree-lstm sequences H6 N2 S3", "tree-gru treebank H12 N2",
        "simple-tree-gru treebank H7 N2", "mv-rnn treebank H5 N2", "dag-rnn grids H9 N2 S3", "lstm sequences H10 N2 S4",
        "gru sequences H7 N2 S3"}) {
    const Checked inference = checked_dynet(dynet::recursive<RecursiveInferenceOp>(), text);
    EXPECT_EQ(inference.verdict.reason, "") << text;
    EXPECT_EQ(checked_dynet(dynet::recursive<RecursiveTrainingOp>(), text).verdict.reason, "") << text;
    ASSERT_TRUE(inference.prepared);
    EXPECT_EQ(inference.prepared->implementation(), "autobatch");
  }
}

TEST(DynetRecursive, AWrongCellIsNoticed) {
  auto wrong = dynet::recursive<RecursiveInferenceOp>();
  const auto prepare = wrong.prepare;
  wrong.prepare = [=](RecursiveProblem p, const PlainTensors& in, const Resources& r) {
    p.model = RecursiveModel::simple_tree_gru;
    return prepare(p, in, r);
  };
  EXPECT_THAT(checked_dynet(wrong, "tree-gru treebank H8 N2").verdict.reason,
              testing::HasSubstr("outputs in h are wrong"));
}

TEST(DynetRecursive, PassesOnWhatPythonReports) {
  try {
    dynet::dynet_recursive().call("Model", "no description");
    FAIL() << "it was taken";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), testing::StartsWith("Python: "));
    EXPECT_THAT(e.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace brickwork
