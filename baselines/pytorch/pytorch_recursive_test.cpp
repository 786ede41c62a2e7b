// Compares our definition of recursive models with PyTorch's, both in f64.
#include "baselines/pytorch/pytorch_recursive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "baselines/contender/checker.hpp"
#include "baselines/pytorch/testing/difference_in_f64.hpp"

namespace brickwork {
namespace {

using pytorch::RecursiveWay;

constexpr RecursiveWay kWays[] = {RecursiveWay::recursion, RecursiveWay::levels};

template <Operation Op>
double recursive_difference(const std::string& text, RecursiveWay way, const std::string& definition) {
  constexpr bool kTraining = std::is_same_v<Op, RecursiveTrainingOp>;
  return pytorch::difference_in_f64<Op>(text, definition, [way](const RecursiveProblem& p, const PlainTensors& in) {
    return pytorch::prepare_recursive(p, way, kTraining, in, {.threads = 2});
  });
}

TEST(PytorchRecursive, MatchesOurDefinition) {
  // Nodes have one, two, three and more children.
  const auto path = std::filesystem::path(testing::TempDir()) / "pytorch_recursive_trees.txt";
  std::ofstream(path) << "-1 0 0 0 1 1 4 3 3 3 3\n1 4 1 4 -1 0 0\n-1 0 1 1 3 3 3\n";
  set_structure_file(path.string());
  for (const std::string text :
       {"tree-fc perfect H5 N2 S3", "tree-fc treebank H4 N2", "tree-rnn treebank H6 N2", "tree-rnn sequences H3 N2 S4",
        "tree-lstm treebank H7 N3", "tree-lstm sequences H2 N2 S1", "nary-tree-lstm treebank H5 N2",
        "nary-tree-lstm sequences H3 N2 S3", "tree-gru perfect H4 N2 S2", "simple-tree-gru treebank H6 N2",
        "mv-rnn treebank H3 N2", "mv-rnn sequences H4 N2 S3", "dag-rnn grids H5 N2 S3", "dag-rnn treebank H5 N1",
        "lstm sequences H5 N3 S4", "gru sequences H4 N2 S3", "tree-lstm file H4 N3", "tree-gru file H3 N2"}) {
    for (const RecursiveWay way : kWays) {
      EXPECT_LT(recursive_difference<RecursiveInferenceOp>(text, way, text), 1e-12) << text;
      EXPECT_LT(recursive_difference<RecursiveTrainingOp>(text, way, text), 1e-12) << text;
    }
  }
}

TEST(PytorchRecursive, DiffersFromOurDefinitionOfAnotherCell) {
  for (const RecursiveWay way : kWays) {
    const auto gru = "tree-gru treebank H4 N2", simple = "simple-tree-gru treebank H4 N2";
    EXPECT_GT(recursive_difference<RecursiveInferenceOp>(gru, way, simple), 1e-3);
    EXPECT_GT(recursive_difference<RecursiveTrainingOp>(gru, way, simple), 1e-3);
  }
}

template <Operation Op>
void expect_passes(const Contender<Op>& contender, const char* implementation) {
  for (const char* text : {"tree-lstm treebank H33 N2", "dag-rnn grids H16 N1 S4", "mv-rnn treebank H8 N1"}) {
    const auto p = parse_problem<RecursiveProblem>(text);
    const Checked checked = check(contender, p, make_checkable_test_data<Op>(p, Fill::floats), {.threads = 2});
    EXPECT_EQ(checked.verdict.reason, "") << text;
    ASSERT_TRUE(checked.prepared);
    EXPECT_EQ(checked.prepared->implementation(), implementation);
    EXPECT_FALSE(checked.prepared->isa().empty());
  }
}

TEST(PytorchRecursive, PassesTheChecksOfAContender) {
  expect_passes(pytorch::recursion<RecursiveInferenceOp>(), "eager:recursion");
  expect_passes(pytorch::recursion<RecursiveTrainingOp>(), "eager:recursion");
  expect_passes(pytorch::recursive_levels<RecursiveInferenceOp>(), "eager:levels");
  expect_passes(pytorch::recursive_levels<RecursiveTrainingOp>(), "eager:levels");
}

}  // namespace
}  // namespace brickwork
