#include "primitives/recursive/op/cell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "primitives/recursive/op/cells.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::vector<std::string>;

// The weights of the products that a leaf, or another node, needs, in the order of the graph.
Names weights_of_products(RecursiveModel model, bool leaf) {
  const Cell& cell = cell_of(model);
  Names names;
  for (const int e : cell.needed(leaf)) {
    const ExprNode& node = cell.graph()[e];
    if (node.kind == ExprKind::times_weight) names.push_back(cell.weights()[static_cast<std::size_t>(node.which)]);
  }
  std::ranges::sort(names);
  return names;
}

TEST(Cell, ProductsWithTheChildrensStatesVanishInLeaves) {
  for (const auto model :
       {RecursiveModel::tree_fc, RecursiveModel::tree_rnn, RecursiveModel::tree_lstm, RecursiveModel::nary_tree_lstm,
        RecursiveModel::tree_gru, RecursiveModel::simple_tree_gru, RecursiveModel::mv_rnn, RecursiveModel::dag_rnn}) {
    EXPECT_THAT(weights_of_products(model, true), IsEmpty()) << cell_of(model).name();
  }
  EXPECT_THAT(weights_of_products(RecursiveModel::lstm, true), ElementsAre("W_g", "W_i", "W_o"));
  EXPECT_THAT(weights_of_products(RecursiveModel::gru, true), ElementsAre("W_o", "W_u"));
}

TEST(Cell, OtherNodesNeedAllProducts) {
  EXPECT_THAT(weights_of_products(RecursiveModel::tree_fc, false), ElementsAre("W_left", "W_right"));
  EXPECT_THAT(weights_of_products(RecursiveModel::tree_lstm, false), ElementsAre("U_f", "U_i", "U_o", "U_u"));
  EXPECT_EQ(weights_of_products(RecursiveModel::nary_tree_lstm, false).size(), 10u);
  EXPECT_EQ(weights_of_products(RecursiveModel::lstm, false).size(), 8u);
  EXPECT_EQ(weights_of_products(RecursiveModel::gru, false).size(), 6u);
  EXPECT_THAT(weights_of_products(RecursiveModel::mv_rnn, false),
              ElementsAre("M_left", "M_right", "W_left", "W_right"));
}

TEST(Cell, ANeededExpressionFollowsItsArguments) {
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    for (const bool leaf : {true, false}) {
      const std::vector<int> needed = cell.needed(leaf);
      const auto contains = [&](int e) { return std::ranges::binary_search(needed, e); };
      EXPECT_TRUE(std::ranges::is_sorted(needed)) << cell.name();
      for (const Cell::StateOf& state : cell.states()) EXPECT_TRUE(contains(leaf ? state.leaf_value : state.value));
      for (const int e : needed) {
        for (const int argument : {cell.graph()[e].a, cell.graph()[e].b}) {
          EXPECT_TRUE(argument < e && (argument < 0 || contains(argument))) << cell.name();
        }
      }
    }
  }
}

TEST(Cell, AModelIsFoundByItsPlaceInTheEnum) {
  int place = 0;
  for (const ModelOf& model : recursive_models()) {
    EXPECT_EQ(static_cast<int>(model.model), place++);
    EXPECT_EQ(cell_of(model.model).name(), model.name);
  }
  EXPECT_EQ(cell_of(RecursiveModel::lstm).kind(), StructureKind::sequence);
  EXPECT_EQ(cell_of(RecursiveModel::nary_tree_lstm).positions(), 2);
  EXPECT_EQ(cell_of(RecursiveModel::tree_lstm).positions(), 0);
}

TEST(ExprGraph, EqualExpressionsExistOnce) {
  Cell cell("twice", StructureKind::tree, 0);
  const State h = cell.state("h");
  const Weight U = cell.weight("U");
  EXPECT_EQ((sum_over_children(h) * U).e, (sum_over_children(each(h)) * U).e);
  EXPECT_NE((sum_over_children(h) * U).e, (sum_over_children(each(h) * U)).e);
  EXPECT_NE(child(h, 0).e, child(h, 1).e);
}

TEST(ExprGraph, ZerosShortenExpressions) {
  ExprGraph graph;
  const int zero = graph.zero(), zeros = graph.zero(true), x = graph.given(ExprKind::input, 0, Over::node);
  const int X = graph.given(ExprKind::input, 1, Over::node, true);
  EXPECT_NE(zero, zeros);
  for (const int e : {graph.times_weight(zero, 0), graph.times_weight_transposed(zero, 0), graph.times_matrix(zero, X),
                      graph.times_matrix(x, zeros), graph.sum_of_children(zero), graph.at_position(zero, 0),
                      graph.unary(ExprKind::tanh, zero), graph.unary(ExprKind::relu, zero),
                      graph.binary(ExprKind::multiply, zero, x), graph.binary(ExprKind::multiply, x, zero)}) {
    EXPECT_EQ(e, zero);
  }
  EXPECT_EQ(graph.outer(x, zero), zeros);
  for (const int e : {graph.binary(ExprKind::add, x, zero), graph.binary(ExprKind::add, zero, x),
                      graph.binary(ExprKind::subtract, x, zero)}) {
    EXPECT_EQ(e, x);
  }
  // Their values are 1/2, 1 and -x.
  EXPECT_NE(graph.unary(ExprKind::sigmoid, zero), zero);
  EXPECT_NE(graph.unary(ExprKind::one_minus, zero), zero);
  EXPECT_NE(graph.binary(ExprKind::subtract, zero, x), x);
}

std::string refusal_of(const std::function<void(Cell&, State h, State P)>& describe) {
  Cell cell("wrong", StructureKind::tree, 0);
  const State h = cell.state("h"), P = cell.matrix_state("P");
  try {
    describe(cell, h, P);
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "";
}

TEST(Cell, RefusesFormulasWithoutMeaning) {
  EXPECT_EQ(refusal_of([](Cell& cell, State h, State) { cell.set(h, cell.input("x")); }), "");
  EXPECT_THAT(refusal_of([](Cell& cell, State h, State) {
                cell.set(h, cell.input("x"));
                cell.set(h, cell.input("y"));
              }),
              HasSubstr("state h is set twice"));
  EXPECT_THAT(refusal_of([](Cell& cell, State h, State) { cell.set(h, each(h)); }), HasSubstr("sum over the children"));
  EXPECT_THAT(refusal_of([](Cell&, State h, State) { sum_over_children(child(h, 0)); }), HasSubstr("of each child"));
  EXPECT_THAT(refusal_of([](Cell&, State h, State P) { child(h, 0) + child(P, 0); }), HasSubstr("a row and a matrix"));
  EXPECT_THAT(refusal_of([](Cell&, State h, State) { product(child(h, 0), child(h, 1)); }),
              HasSubstr("takes a row and a matrix"));
  EXPECT_THAT(refusal_of([](Cell& cell, State h, State P) { cell.set(h, child(P, 0)); }), HasSubstr("state h mixes"));
  EXPECT_THAT(refusal_of([](Cell& cell, State, State P) { cell.set_leaf(P, cell.leaf_input("x")); }),
              HasSubstr("state P mixes"));
  EXPECT_THAT(refusal_of([](Cell& cell, State h, State P) {
                cell.set(h, cell.leaf_input("x"));
                cell.set(P, child(P, 0));
                cell.needed(false);
              }),
              HasSubstr("an input of leaves"));
  EXPECT_THAT(refusal_of([](Cell& cell, State, State) { cell.needed(false); }), HasSubstr("state h has no value"));
}

}  // namespace
}  // namespace brickwork
