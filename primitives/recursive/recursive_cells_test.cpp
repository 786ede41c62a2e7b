// Cells that a user writes: formulas that no model has.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <random>

#include "primitives/recursive/op/testing/cell_case.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"

namespace brickwork {
namespace {

// All passes on, each off, and each of those that lower a cell alone.
std::vector<RecursivePlan> some_plans(std::int64_t H) {
  using P = RecursivePlan;
  const P usual = plan_recursive(H, {.threads = 2});
  std::vector<P> all{usual};
  for (const auto pass : {&P::leaves, &P::hoist, &P::fuse, &P::dense, &P::few, &P::levels, &P::persist}) {
    all.emplace_back(usual).*pass = 0;
  }
  for (const auto pass : {&P::leaves, &P::hoist, &P::fuse}) {
    P& alone = all.emplace_back(usual);
    alone.leaves = alone.hoist = alone.fuse = 0;
    alone.*pass = 1;
  }
  return all;
}

void expect_right(StructureKind kind, int most_children, const std::function<void(Cell&)>& describe) {
  Cell cell("own", kind, most_children);
  describe(cell);
  std::mt19937 random(1);
  // Each plan takes one of three forests of a size; scripts/test --all gives it all three.
  constexpr std::size_t kDraws = 3;
  const std::size_t every = std::getenv("BRICKWORK_TEST_ALL") == nullptr ? kDraws : 1;
  for (const std::int64_t H : {3, 16, 33}) {
    const std::vector<RecursivePlan> plans = some_plans(H);
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      const Forest forest = random_forest(
          {.kind = kind, .structures = 3, .most_nodes = 20, .most_children = most_children == 0 ? 4 : most_children},
          random);
      for (const RecursiveUse use : {RecursiveUse::inference, RecursiveUse::training}) {
        const RecursiveCheck check({&cell, H, forest, use});
        for (std::size_t p = draw % every; p < plans.size(); p += every) {
          EXPECT_EQ(check.mistake(plans[p]), "") << "H" << H << " " << to_string(plans[p]);
        }
      }
    }
  }
}

void expect_right_for_trees_and_dags(const std::function<void(Cell&)>& describe) {
  expect_right(StructureKind::tree, 0, describe);
  expect_right(StructureKind::dag, 3, describe);
}

TEST(RecursiveCells, AProductOfEachChildWithABias) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h");
    const Expr x = cell.input("x"), W_and_b = each(h) * cell.weight("W") + cell.bias("b");
    cell.set(h, tanh(x + sum_over_children(sigmoid(W_and_b))));
  });
}

TEST(RecursiveCells, ASumOverEdgesOfANodesValue) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h");
    const Expr x = cell.input("x"), gate = sigmoid(x + sum_over_children(h) * cell.weight("W"));
    cell.set(h, tanh(x + sum_over_children(gate * each(h))));
  });
}

TEST(RecursiveCells, ALeafsFormulaWithAProduct) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h");
    const Weight W = cell.weight("W");
    cell.set_leaf(h, tanh(cell.leaf_input("x") * cell.weight("W_leaf") + cell.bias("b_leaf")));
    cell.set(h, relu(sum_over_children(h) * W + cell.bias("b")));
  });
}

TEST(RecursiveCells, AStateThatNoParentReads) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h"), out = cell.state("out");
    cell.set(h, tanh(cell.input("x") + sum_over_children(h) * cell.weight("U")));
    cell.set(out, sigmoid(sum_over_children(h) * cell.weight("V")) * cell.input("scale"));
  });
}

TEST(RecursiveCells, AStateWithoutParametersOrInputs) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h");
    cell.set_leaf(h, cell.leaf_input("x"));
    cell.set(h, tanh(sum_over_children(h)));
  });
}

TEST(RecursiveCells, AWeightThatIsUsedTwice) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h"), c = cell.state("c");
    const Weight U = cell.weight("U");
    const Expr x = cell.input("x"), b = cell.bias("b");
    const Expr f = sigmoid(each(h) * U + b), sum = sum_over_children(f * each(c));
    cell.set(c, tanh(sum * U + x + b));
    cell.set(h, tanh(x * U + child(h, 0) * U));
  });
}

TEST(RecursiveCells, AnInputThatLeavesAndOtherNodesReadInDifferentWays) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h");
    const Expr x = cell.input("x"), y = cell.input("y");
    cell.set_leaf(h, x * cell.weight("A"));
    cell.set(h, tanh((y * x) * cell.weight("B") + child(h, 1) - one_minus(child(h, 0))));
  });
}

TEST(RecursiveCells, ThreeProductsOneAfterTheOther) {
  expect_right_for_trees_and_dags([](Cell& cell) {
    const State h = cell.state("h");
    const Expr a = tanh(sum_over_children(h) * cell.weight("A") + cell.input("x"));
    const Expr b = tanh(a * cell.weight("B") + cell.bias("b"));
    cell.set(h, tanh(b * cell.weight("C") + a));
  });
}

TEST(RecursiveCells, TwoMatricesForANode) {
  expect_right(StructureKind::tree, 2, [](Cell& cell) {
    const State h = cell.state("h"), P = cell.matrix_state("P"), Q = cell.matrix_state("Q");
    const Expr x = cell.leaf_input("x"), X = cell.leaf_matrix("X"), Y = cell.leaf_matrix("Y");
    cell.set_leaf(h, x);
    cell.set_leaf(P, X);
    cell.set_leaf(Q, tanh(Y) * X);
    cell.set(h, tanh(product(child(h, 0), child(P, 1)) + product(child(h, 1) * cell.weight("W"), child(Q, 0))));
    cell.set(P, sum_over_children(each(P)) * cell.weight("M"));
    cell.set(Q, child(P, 0) * child(Q, 1) + sigmoid(child(Q, 0)));
  });
}

TEST(RecursiveCells, TheMatrixOfOneChildForAllChildren) {
  expect_right(StructureKind::tree, 2, [](Cell& cell) {
    const State h = cell.state("h"), P = cell.matrix_state("P");
    cell.set_leaf(h, cell.leaf_input("x"));
    cell.set_leaf(P, cell.leaf_matrix("X"));
    cell.set(h, tanh(sum_over_children(product(each(h), child(P, 1)) * each(h))));
    cell.set(P, child(P, 0) * cell.weight("M") - sum_over_children(each(P) * child(P, 1)));
  });
}

TEST(RecursiveCells, AMatrixForEachChild) {
  expect_right(StructureKind::dag, 3, [](Cell& cell) {
    const State h = cell.state("h"), P = cell.matrix_state("P");
    const Expr X = cell.leaf_matrix("X"), x = cell.input("x"), b = cell.bias("b");
    const Expr turned = product(each(h) + x, each(P) * cell.weight("M"));
    cell.set(h, x * x - sum_over_children(tanh(turned * child(h, 1) + b)) + sigmoid(product(x, child(P, 0))));
    cell.set(P, sum_over_children(sigmoid(each(P)) * one_minus(each(P))) - child(P, 0) * cell.weight("N"));
    cell.set_leaf(P, tanh(X));
  });
}

}  // namespace
}  // namespace brickwork
