#include "baselines/recursive_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

constexpr const char* kProblems[] = {
    "tree-fc perfect H8 N1 S3",     "tree-fc treebank H17 N3",        "tree-rnn treebank H16 N4",
    "tree-rnn sequences H5 N2 S3",  "tree-lstm treebank H33 N3",      "tree-lstm perfect H64 N2 S4",
    "tree-lstm sequences H7 N1 S1", "nary-tree-lstm treebank H19 N3", "nary-tree-lstm sequences H6 N3 S4",
    "tree-gru treebank H32 N5",     "tree-gru perfect H1 N2 S2",      "simple-tree-gru treebank H21 N2",
    "mv-rnn treebank H9 N2",        "mv-rnn perfect H16 N3 S3",       "dag-rnn grids H31 N2 S4",
    "dag-rnn treebank H12 N1",      "lstm sequences H20 N4 S6",       "gru sequences H15 N3 S5",
    "gru sequences H48 N1 S1"};

// Checks that outputs are within the operation's bound.
template <Operation Op>
Verdict recursive_verdict(const Contender<Op>& contender, const char* text, int threads) {
  const auto p = parse_problem<RecursiveProblem>(text);
  return verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::floats), threads);
}

template <Operation Op>
void expect_right_recursive(const Contender<Op>& contender) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const char* text : kProblems) {
    for (const int threads : {1, 3}) EXPECT_EQ(recursive_verdict(contender, text, threads).reason, "") << text;
  }
}

TEST(RecursiveBaselines, OnednnInferenceIsRight) { expect_right_recursive(onednn_recursive_inference()); }

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
