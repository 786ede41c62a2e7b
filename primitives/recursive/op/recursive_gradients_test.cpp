// The definition's gradients against finite differences.
#include <gtest/gtest.h>

#include <cmath>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/testing/cell_case.hpp"

namespace brickwork {
namespace {

// The sum over all states of upstream gradient times value.
double loss_of(const CellCase& test) {
  const PlainTensors out = test.forward();
  double loss = 0;
  for (std::size_t i = 0; i < out.infos().size(); ++i) {
    const double* const upstream = test.in.at<double>(recursive_ops::gradient_of_values(out.infos()[i].name));
    const auto values = out.values<double>(i);
    for (std::size_t j = 0; j < values.size(); ++j) loss += upstream[j] * values[j];
  }
  return loss;
}

void expect_gradients(CellCase test) {
  const PlainTensors gradients = test.backward();
  const auto sources = recursive_ops::sources(test.cell, test.H, test.forest);
  constexpr double kStep = 1e-5;
  const double here = loss_of(test);
  int smooth = 0, tried = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::int64_t j = 0; j < sources[i].size(); j += 1 + sources[i].size() / 10) {
      double& x = test.in.at<double>(sources[i].name)[j];
      const double was = x;
      x = was + kStep;
      const double above = loss_of(test) - here;
      x = was - kStep;
      const double below = here - loss_of(test);
      x = was;
      ++tried;
      if (std::abs(above - below) > 1e-7) continue;  // at the kink of a ReLU
      ++smooth;
      const double found = gradients.values<double>(i)[static_cast<std::size_t>(j)];
      EXPECT_NEAR(found, (above + below) / (2 * kStep), 1e-7 * std::max(1.0, std::abs(found)))
          << test.cell.name() << " " << gradients.infos()[i].name << " " << j;
    }
  }
  EXPECT_GT(smooth, tried * 9 / 10) << test.cell.name();
}

const ChildrenLists kOneNode{{}}, kChain{{}, {0}, {1}, {2}}, kBinaryTree{{1, 2}, {}, {4, 3}, {5}, {}, {}};
const ChildrenLists kTernaryTree{{4, 1, 2}, {}, {3}, {5, 6}, {}, {}, {}};
// A child that is used twice, a node with two parents, and two roots.
const ChildrenLists kSharingDag{{1, 1, 2}, {2, 3}, {3}, {}, {2, 3}};

TEST(RecursiveDefinition, GradientsEqualFiniteDifferences) {
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    std::vector<ChildrenLists> structures{kOneNode, kChain};
    if (cell.most_children() != 1) structures.push_back(kBinaryTree);
    if (cell.most_children() == 0) structures.push_back(kTernaryTree);
    if (cell.kind() == StructureKind::dag) structures.push_back(kSharingDag);
    expect_gradients({cell, 3, forest_with(cell.kind(), structures)});
  }
}

// Operations on matrices and on single children that no model has.
TEST(RecursiveDefinition, GradientsOfAnyFormulaEqualFiniteDifferences) {
  Cell cell("any", StructureKind::dag, 0);
  const State h = cell.state("h"), P = cell.matrix_state("P");
  const Expr X = cell.leaf_matrix("X"), x = cell.input("x"), b = cell.bias("b");
  const Expr turned = product(each(h) + x, each(P) * cell.weight("M"));
  cell.set(h, x * x - sum_over_children(tanh(turned * child(h, 1) + b)) + sigmoid(product(x, child(P, 0))));
  cell.set(P, sum_over_children(sigmoid(each(P)) * one_minus(each(P))) - child(P, 0) * cell.weight("N"));
  cell.set_leaf(P, tanh(X));
  expect_gradients({cell, 2, forest_with(StructureKind::dag, {kOneNode, kChain, kTernaryTree, kSharingDag})});
}

TEST(RecursiveDefinition, GradientsOfWeightsDoNotDependOnHowManyStructuresAreTogether) {
  const Cell& cell = cell_of(RecursiveModel::tree_lstm);
  const CellCase all(cell, 2, forest_with(StructureKind::tree, std::vector<ChildrenLists>(40, kTernaryTree)));
  std::vector<double> sum(4, 0.0);
  for (std::int64_t s = 0; s < 40; ++s) {
    CellCase one(cell, 2, forest_with(StructureKind::tree, {kTernaryTree}));
    const auto nodes = static_cast<std::int64_t>(kTernaryTree.size());
    for (const TensorInfo& info : one.in.infos()) {
      const bool of_nodes = info.dims[0] == nodes;
      std::copy_n(all.in.at<double>(info.name) + (of_nodes ? s * nodes * 2 : 0), info.size(),
                  one.in.at<double>(info.name));
    }
    const PlainTensors d = one.backward();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += d.at<double>("U_f.gradient")[i];
  }
  const PlainTensors d = all.backward();
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(d.at<double>("U_f.gradient")[i], sum[i], 1e-12);
}

}  // namespace
}  // namespace brickwork
