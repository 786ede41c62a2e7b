#include "primitives/recursive/lowering/gradients.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

// A formula as text. Numbers in kept() are those of the cell's expressions.
std::string formula(const ExprGraph& g, int e) {
  using K = ExprKind;
  const ExprNode& node = g[e];
  const auto a = [&] { return formula(g, node.a); };
  const auto b = [&] { return formula(g, node.b); };
  switch (node.kind) {
    case K::zero:
      return "0";
    case K::input:
      return fmt::format("input{}", node.which);
    case K::child:
      return fmt::format("child{}", node.position);
    case K::each:
      return "each";
    case K::upstream:
      return "up";
    case K::kept:
      return fmt::format("kept{}", node.which);
    case K::times_weight_transposed:
      return fmt::format("{} U^T", a());
    case K::sum_of_children:
      return fmt::format("sum({})", a());
    case K::at_position:
      return fmt::format("at{}({})", node.position, a());
    case K::tanh_slope:
      return fmt::format("slope({})", a());
    case K::where_positive:
      return fmt::format("where({}, {})", a(), b());
    case K::add:
      return fmt::format("({} + {})", a(), b());
    case K::multiply:
      return fmt::format("({} * {})", a(), b());
    case K::subtract:
      return fmt::format("({} - {})", a(), b());
    default:
      return "?";
  }
}

CellGradients gradients_of(const Cell& cell) {
  std::vector<int> values;
  for (const Cell::StateOf& state : cell.states()) values.push_back(state.value);
  return differentiate(cell, values);
}

TEST(RecursiveGradients, OfAProductWithOneChild) {
  Cell cell("one child", StructureKind::tree, 2);
  const State h = cell.state("h");
  const Expr value = tanh(cell.input("x") + child(h, 1) * cell.weight("U") + cell.bias("b"));
  cell.set(h, value);
  const CellGradients d = gradients_of(cell);
  const std::string before = fmt::format("(up * slope(kept{}))", value.e);
  ASSERT_EQ(d.inputs.size(), 1u);
  EXPECT_EQ(formula(d.graph, d.inputs[0].second), before);
  ASSERT_EQ(d.biases.size(), 1u);
  EXPECT_EQ(formula(d.graph, d.biases[0].second), before);
  EXPECT_EQ(formula(d.graph, d.states[0]), "at1(" + before + " U^T)");
  ASSERT_EQ(d.weights.size(), 1u);
  EXPECT_EQ(formula(d.graph, d.weights[0].operand), "child1");
  EXPECT_EQ(formula(d.graph, d.weights[0].gradient), before);
  EXPECT_EQ(d.weights[0].over, Over::node);
}

// Gradients of a value of the node are sums over its edges; those of an edge's value are not.
TEST(RecursiveGradients, OfASumOverEdges) {
  Cell cell("edges", StructureKind::tree, 0);
  const State h = cell.state("h");
  const Expr x = cell.input("x");
  cell.set(h, sum_over_children(x * each(h)));
  const CellGradients d = gradients_of(cell);
  EXPECT_EQ(formula(d.graph, d.inputs[0].second), "sum((up * each))");
  EXPECT_EQ(formula(d.graph, d.states[0]), "(up * input0)");
}

TEST(RecursiveGradients, OfAValueThatIsUsedTwiceAddUp) {
  Cell cell("twice", StructureKind::tree, 0);
  const State h = cell.state("h");
  const Expr x = cell.input("x"), y = cell.input("y");
  cell.set(h, relu(x) * y - x);
  const CellGradients d = gradients_of(cell);
  const int relu_of_x = cell.graph()[cell.graph()[cell.states()[0].value].a].a;
  ASSERT_EQ(d.inputs.size(), 2u);
  EXPECT_EQ(d.inputs[0].first, 1);
  EXPECT_EQ(formula(d.graph, d.inputs[0].second), fmt::format("(up * kept{})", relu_of_x));
  EXPECT_EQ(d.inputs[1].first, 0);
  EXPECT_EQ(formula(d.graph, d.inputs[1].second), fmt::format("((0 - up) + where(kept{}, (up * input1)))", relu_of_x));
}

TEST(RecursiveGradients, AStateThatNoParentReadsHasNone) {
  Cell cell("output", StructureKind::tree, 0);
  const State h = cell.state("h"), out = cell.state("out");
  cell.set(h, cell.input("x") + sum_over_children(h));
  cell.set(out, sum_over_children(h));
  const CellGradients d = gradients_of(cell);
  EXPECT_EQ(formula(d.graph, d.states[0]), "(up + up)");
  EXPECT_EQ(d.states[1], -1);
}

}  // namespace
}  // namespace brickwork
