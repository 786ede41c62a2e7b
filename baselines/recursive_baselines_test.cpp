#include "baselines/recursive_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

constexpr const char* kProblems[] = {
    "tree-fc perfect H8 N1 S3",       "tree-fc treebank H17 N3",           "tree-rnn treebank H16 N4",
    "tree-rnn sequences H5 N2 S3",    "tree-lstm treebank H33 N3",         "tree-lstm perfect H64 N2 S4",
    "nary-tree-lstm treebank H19 N3", "nary-tree-lstm sequences H6 N3 S4", "tree-gru treebank H32 N5",
    "tree-gru perfect H1 N2 S2",      "simple-tree-gru treebank H21 N2",   "mv-rnn treebank H9 N2",
    "mv-rnn perfect H16 N3 S3",       "mv-rnn sequences H4 N2 S3",         "dag-rnn grids H31 N2 S4",
    "dag-rnn treebank H12 N1",        "lstm sequences H20 N4 S6",          "gru sequences H15 N3 S5"};
// Their nodes have one, two, three and more children.
constexpr const char* kOfFile[] = {"tree-lstm file H9 N3", "tree-gru file H17 N3", "tree-rnn file H5 N3"};
constexpr const char* kLeavesAlone[] = {"tree-lstm sequences H7 N2 S1", "gru sequences H48 N1 S1"};

// Checks that outputs are within the operation's bound.
template <Operation Op>
Verdict recursive_verdict(const Contender<Op>& contender, const char* text, int threads) {
  const auto p = parse_problem<RecursiveProblem>(text);
  return verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::floats), threads);
}

template <Operation Op>
void expect_right_recursive(const Contender<Op>& contender, std::span<const char* const> problems) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const char* text : problems) {
    for (const int threads : {1, 3}) EXPECT_EQ(recursive_verdict(contender, text, threads).reason, "") << text;
  }
}

void use_trees_of_any_arity() {
  const auto path = std::filesystem::path(testing::TempDir()) / "recursive_baselines_trees.txt";
  std::ofstream(path) << "-1 0 0 0 1 1 4 3 3 3 3\n1 4 1 4 -1 0 0\n-1 0 1 1 3 3 3\n";
  set_structure_file(path.string());
}

TEST(RecursiveBaselines, OnednnInferenceIsRight) {
  use_trees_of_any_arity();
  expect_right_recursive(onednn_recursive_inference(), kOfFile);
  expect_right_recursive(onednn_recursive_inference(), kProblems);
  expect_right_recursive(onednn_recursive_inference(), kLeavesAlone);
}
TEST(RecursiveBaselines, OnednnTrainingIsRight) {
  use_trees_of_any_arity();
  expect_right_recursive(onednn_recursive_training(), kOfFile);
  expect_right_recursive(onednn_recursive_training(), kProblems);
}

// A checker refuses gradients that are zero whatever the inputs are.
TEST(RecursiveBaselines, OnednnGivesWeightsThatNoNodeUsesTheGradientZero) {
  const auto contender = onednn_recursive_training();
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const char* text : kLeavesAlone) {
    const auto p = parse_problem<RecursiveProblem>(text);
    const TestData data = make_test_data<RecursiveTrainingOp>(p, Fill::floats, text);
    PlainTensors found(RecursiveTrainingOp::outputs(p));
    poison(found);
    const auto prepared = prepare(contender, p, data.inputs, {2});
    ASSERT_TRUE(prepared) << prepared.reason();
    (*prepared)->pack();
    for (int turn = 0; turn < 2; ++turn) (*prepared)->run();
    (*prepared)->unpack(found);
    EXPECT_EQ(compare(found, data.expected, data.tolerance).reason, "") << text;
  }
}

// The comparison must notice a contender of another cell.
TEST(RecursiveBaselines, AWrongCellIsNoticed) {
  auto wrong = onednn_recursive_inference();
  if (!wrong.library.absent.empty()) GTEST_SKIP() << wrong.library.absent;
  const auto prepare = wrong.prepare;
  wrong.prepare = [=](RecursiveProblem p, const PlainTensors& in, const Resources& r) {
    p.model = RecursiveModel::simple_tree_gru;
    return prepare(p, in, r);
  };
  EXPECT_THAT(recursive_verdict(wrong, "tree-gru treebank H8 N2", 1).reason,
              testing::HasSubstr("outputs in h are wrong"));
}

}  // namespace
}  // namespace brickwork
