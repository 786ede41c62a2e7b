// Lowered cells as text.
#include "primitives/recursive/lowering/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/recursive/op/cells.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::Not;

Program forward(RecursiveModel model, const LoweringPasses& passes = {}) {
  return lower(cell_of(model), passes, /*training=*/false).forward;
}
std::string text_of(RecursiveModel model, const LoweringPasses& passes = {}) {
  return to_string(forward(model, passes), cell_of(model));
}
std::string part(const std::string& text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from), end = text.find(to);
  return begin == std::string::npos ? "" : text.substr(begin, end == std::string::npos ? end : end - begin);
}

// Four products in one stage, three of them with one operand; leaves have none.
TEST(RecursiveProgram, ATreeLstmHasOneStage) {
  EXPECT_EQ(text_of(RecursiveModel::tree_lstm), R"(leaves, stage 0
  t0 = sigmoid x_o, b_o
  t1 = sigmoid x_i, b_i
  t2 = tanh x_u, b_u
  c = multiply t1, t2
  t2 = tanh c
  h = multiply t0, t2
inner nodes, stage 0
  operand0 = sum_of_children h of the child
  operand1 = copy h of the child   (by edge)
  sum0 = operand0 * U_o
  sum1 = operand0 * U_i
  sum2 = operand0 * U_u
  sum3 = operand1 * U_f
  t0 = sigmoid sum0, x_o, b_o
  t1 = sigmoid sum1, x_i, b_i
  t2 = tanh sum2, x_u, b_u
  t3 = multiply t1, t2
  t2 = sigmoid sum3, x_f of the node, b_f   (by edge)
  t1 = multiply t2, c of the child   (by edge)
  t2 = sum_of_children t1
  c = add t3, t2
  t2 = tanh c
  h = multiply t0, t2
)");
}

// The second product reads r times the sum, which all threads have to finish.
TEST(RecursiveProgram, ATreeGruHasTwoStages) {
  EXPECT_EQ(text_of(RecursiveModel::tree_gru), R"(leaves, stage 0
  t0 = sigmoid x_z, b_z
  t1 = one_minus t0
  t0 = tanh x_h, b_h
  h = multiply t1, t0
inner nodes, stage 0
  operand0 = sum_of_children h of the child
  sum0 = operand0 * U_r
  sum1 = operand0 * U_z
  t0 = sigmoid sum0, x_r, b_r
  t1 = sum_of_children h of the child
  scratch3 = multiply t0, t1
  t0 = sigmoid sum1, x_z, b_z
  scratch6 = multiply t0, t1
  scratch7 = one_minus t0
inner nodes, stage 1
  operand0 = copy scratch3
  sum0 = operand0 * U_h
  t0 = tanh sum0, x_h, b_h
  t1 = multiply scratch7, t0
  h = add t1, scratch6
)");
}

TEST(RecursiveProgram, LeavesHaveNoProductsOfStates) {
  for (const ModelOf& model : recursive_models()) {
    const std::string leaves = part(text_of(model.model), "leaves", "inner nodes");
    EXPECT_THAT(leaves, Not(HasSubstr("operand"))) << model.name;
    EXPECT_THAT(leaves, Not(HasSubstr("child"))) << model.name;
    EXPECT_NE(leaves, "") << model.name;
  }
}

TEST(RecursiveProgram, WithoutTheirPassLeavesAreComputedLikeOtherNodes) {
  EXPECT_THAT(part(text_of(RecursiveModel::tree_gru, {.leaves = false}), "leaves", "inner nodes"),
              HasSubstr("sum0 = operand0 * U_r"));
}

TEST(RecursiveProgram, ProductsOfInputsComeBeforeAllLevels) {
  const std::string with = text_of(RecursiveModel::gru), without = text_of(RecursiveModel::gru, {.hoist = false});
  EXPECT_EQ(part(with, "before all levels", "leaves"), R"(before all levels, stage 0
  operand0 = copy x
  sum0 = operand0 * W_u
  sum1 = operand0 * W_r
  sum2 = operand0 * W_o
  value0 = copy sum0
  value1 = copy sum1
  value2 = copy sum2
)");
  EXPECT_THAT(part(with, "inner nodes", "end"), Not(HasSubstr("W_")));
  EXPECT_THAT(without, Not(HasSubstr("before all levels")));
  // In the levels the products of one gate join in one sum.
  EXPECT_THAT(without, HasSubstr("operand0 * W_r + operand1 * U_r"));
}

// A product that leaves alone need would be made for all nodes.
TEST(RecursiveProgram, ProductsThatLeavesAloneNeedStayWithThem) {
  Cell cell("leaf", StructureKind::tree, 0);
  const State h = cell.state("h");
  const Expr x = cell.input("x");
  cell.set_leaf(h, x * cell.weight("W"));
  cell.set(h, tanh(x + sum_over_children(h)));
  const std::string text = to_string(lower(cell, {}, false).forward, cell);
  EXPECT_THAT(text, Not(HasSubstr("before all levels")));
  EXPECT_THAT(part(text, "leaves", "inner nodes"), HasSubstr("operand0 * W"));
}

TEST(RecursiveProgram, WithoutFusionEachOperationHasAStage) {
  EXPECT_EQ(forward(RecursiveModel::tree_lstm).inner.size(), 1u);
  EXPECT_EQ(forward(RecursiveModel::tree_lstm, {.fuse = false}).inner.size(), 9u);
  for (const Stage& stage : forward(RecursiveModel::tree_lstm, {.fuse = false}).inner) {
    EXPECT_EQ(stage.temporaries, 0);
  }
}

TEST(RecursiveProgram, MatricesOfNodesAreFactors) {
  EXPECT_THAT(text_of(RecursiveModel::mv_rnn), HasSubstr("operand0 * P of child 0"));
  EXPECT_THAT(text_of(RecursiveModel::mv_rnn), HasSubstr("operand2 * M_left + operand3 * M_right"));
}

// Backward passes read transposed weights; a forward program for training keeps the curves' values.
TEST(RecursiveProgram, TrainingKeepsWhatTheGradientsRead) {
  const Cell& cell = cell_of(RecursiveModel::tree_rnn);
  const Lowered lowered = lower(cell, {}, /*training=*/true);
  EXPECT_EQ(part(to_string(lowered.forward, cell), "inner nodes", "end"), R"(inner nodes, stage 0
  operand0 = sum_of_children h of the child
  sum0 = operand0 * U
  h = tanh sum0, x, b
  value1 = copy h
)");
  EXPECT_EQ(part(to_string(lowered.backward, cell), "inner nodes", "end"), R"(inner nodes, stage 0
  t0 = add_uses upstream dh, dh
  t1 = tanh_slope value1
  scratch10 = multiply t0, t1
  dx = copy scratch10
  value7 = sum_of_children h of the child
  value8 = copy scratch10
inner nodes, stage 1
  operand0 = copy scratch10
  sum0 = operand0 * U^T
  dh = copy sum0 of the node   (by edge)
)");
  ASSERT_EQ(lowered.backward.updates.size(), 2u);
  EXPECT_EQ(lowered.backward.updates[0].weight, 0);
  EXPECT_EQ(lowered.backward.updates[1].bias, 0);
}

TEST(RecursiveProgram, SaysWhetherEdgesReadOtherChildrenOfTheirNode) {
  EXPECT_FALSE(has(forward(RecursiveModel::nary_tree_lstm), RowMode::parents_child));
  Cell cell("other child", StructureKind::tree, 2);
  const State h = cell.state("h");
  cell.set_leaf(h, cell.leaf_input("x"));
  cell.set(h, sum_over_children(each(h) * child(h, 1)));
  const Program program = lower(cell, {}, false).forward;
  EXPECT_TRUE(has(program, RowMode::parents_child));
  EXPECT_THAT(to_string(program, cell), HasSubstr("h of the node's child 1"));
}

}  // namespace
}  // namespace brickwork
