#include "primitives/recursive/op/recursive_definition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/op/testing/cell_case.hpp"
#include "primitives/recursive/structures/structures.hpp"

namespace brickwork {
namespace {

using Values = std::vector<double>;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// The formulas of a model for one node, written as loops over a row's features.
class Formulas {
 public:
  explicit Formulas(const CellCase& test) : test_(test), H_(static_cast<std::size_t>(test.H)) {}

 protected:
  Values row(const char* name, std::int32_t node) const { return values(name, node * test_.H, H_); }
  Values matrix(const char* name, std::int32_t leaf) const { return values(name, leaf * test_.H * test_.H, H_ * H_); }
  Values times(const Values& x, const Values& matrix) const {
    Values y(H_, 0.0);
    for (std::size_t n = 0; n < H_; ++n) {
      for (std::size_t k = 0; k < H_; ++k) y[n] += x[k] * matrix[k * H_ + n];
    }
    return y;
  }
  Values times(const Values& x, const char* weight) const { return times(x, matrix(weight, 0)); }
  // curve(x + product + b), feature by feature.
  Values gate(double (*curve)(double), const Values& x, const Values& product, const char* bias) const {
    const Values b = row(bias, 0);
    Values y(H_);
    for (std::size_t n = 0; n < H_; ++n) y[n] = curve(x[n] + product[n] + b[n]);
    return y;
  }
  Values zeros() const { return Values(H_, 0.0); }
  auto children(std::int32_t node) const { return test_.forest.children_of(node); }

  const CellCase& test_;
  const std::size_t H_;

 private:
  Values values(const char* name, std::int64_t first, std::size_t count) const {
    const double* const from = test_.in.at<double>(name) + first;
    return Values(from, from + count);
  }
};

double tanh_of(double x) { return std::tanh(x); }

struct TreeLstmFormulas : Formulas {
  using Formulas::Formulas;
  struct State {
    Values h, c;
  };
  State of(std::int32_t node) const {
    std::vector<State> below;
    for (const std::int32_t child : children(node)) below.push_back(of(child));
    Values sum = zeros();
    for (const State& s : below) {
      for (std::size_t n = 0; n < H_; ++n) sum[n] += s.h[n];
    }
    const Values i = gate(logistic, row("x_i", node), times(sum, "U_i"), "b_i");
    const Values o = gate(logistic, row("x_o", node), times(sum, "U_o"), "b_o");
    const Values u = gate(tanh_of, row("x_u", node), times(sum, "U_u"), "b_u");
    State s{Values(H_), Values(H_)};
    for (std::size_t n = 0; n < H_; ++n) s.c[n] = i[n] * u[n];
    for (const State& child : below) {
      const Values f = gate(logistic, row("x_f", node), times(child.h, "U_f"), "b_f");
      for (std::size_t n = 0; n < H_; ++n) s.c[n] += f[n] * child.c[n];
    }
    for (std::size_t n = 0; n < H_; ++n) s.h[n] = o[n] * std::tanh(s.c[n]);
    return s;
  }
};

struct TreeGruFormulas : Formulas {
  using Formulas::Formulas;
  Values of(std::int32_t node) const {
    Values sum = zeros();
    for (const std::int32_t child : children(node)) {
      const Values h = of(child);
      for (std::size_t n = 0; n < H_; ++n) sum[n] += h[n];
    }
    const Values r = gate(logistic, row("x_r", node), times(sum, "U_r"), "b_r");
    const Values z = gate(logistic, row("x_z", node), times(sum, "U_z"), "b_z");
    Values reset(H_), h(H_);
    for (std::size_t n = 0; n < H_; ++n) reset[n] = r[n] * sum[n];
    const Values new_h = gate(tanh_of, row("x_h", node), times(reset, "U_h"), "b_h");
    for (std::size_t n = 0; n < H_; ++n) h[n] = (1 - z[n]) * new_h[n] + z[n] * sum[n];
    return h;
  }
};

struct MvRnnFormulas : Formulas {
  using Formulas::Formulas;
  struct State {
    Values p, P;
  };
  State of(std::int32_t node) const {
    if (children(node).empty()) {
      std::int32_t leaf = 0;
      for (std::int32_t before = 0; before < node; ++before) leaf += children(before).empty() ? 1 : 0;
      return {row("x", leaf), matrix("X", leaf)};
    }
    const State left = of(children(node)[0]), right = of(children(node)[1]);
    const Values of_left = times(times(left.p, right.P), "W_left"), of_right = times(times(right.p, left.P), "W_right");
    State s{gate(tanh_of, of_left, of_right, "b"), Values(H_ * H_)};
    for (std::size_t r = 0; r < H_; ++r) {
      const auto row_of = [&](const Values& m) { return Values(m.begin() + at(r * H_), m.begin() + at((r + 1) * H_)); };
      const Values a = times(row_of(left.P), "M_left"), b = times(row_of(right.P), "M_right");
      for (std::size_t n = 0; n < H_; ++n) s.P[r * H_ + n] = a[n] + b[n];
    }
    return s;
  }
  static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
};

void expect_near(const double* found, const Values& right, const std::string& what) {
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i], right[i], 1e-14) << what << " " << i;
}

TEST(RecursiveDefinition, FollowsTheFormulasOfTheTreeLstm) {
  const ChildrenLists tree{{}, {0, 4, 2}, {3}, {}, {}};
  const CellCase test(cell_of(RecursiveModel::tree_lstm), 3, forest_with(StructureKind::tree, {tree, {{}}}));
  const PlainTensors out = test.forward();
  for (std::int32_t node = 0; node < test.forest.nodes(); ++node) {
    const auto right = TreeLstmFormulas(test).of(node);
    expect_near(out.at<double>("h") + node * test.H, right.h, "h");
    expect_near(out.at<double>("c") + node * test.H, right.c, "c");
  }
}

TEST(RecursiveDefinition, FollowsTheFormulasOfTheTreeGru) {
  const ChildrenLists tree{{}, {0, 4, 2}, {3}, {}, {}};
  const CellCase test(cell_of(RecursiveModel::tree_gru), 3, forest_with(StructureKind::tree, {tree, {{}}}));
  const PlainTensors out = test.forward();
  for (std::int32_t node = 0; node < test.forest.nodes(); ++node) {
    expect_near(out.at<double>("h") + node * test.H, TreeGruFormulas(test).of(node), "h");
  }
}

TEST(RecursiveDefinition, FollowsTheFormulasOfTheMvRnn) {
  const ChildrenLists tree{{}, {2, 4}, {3, 0}, {}, {}};
  const CellCase test(cell_of(RecursiveModel::mv_rnn), 3, forest_with(StructureKind::tree, {{{}}, tree}));
  const PlainTensors out = test.forward();
  for (std::int32_t node = 0; node < test.forest.nodes(); ++node) {
    const auto right = MvRnnFormulas(test).of(node);
    expect_near(out.at<double>("p") + node * test.H, right.p, "p");
    expect_near(out.at<double>("P") + node * test.H * test.H, right.P, "P");
  }
}

// A node that is computed once for each path to it would take 2^60 steps.
TEST(RecursiveDefinition, ComputesANodeWithSeveralParentsOnce) {
  ChildrenLists doubled(60);
  for (std::int32_t i = 1; i < 60; ++i) doubled[static_cast<std::size_t>(i)] = {i - 1, i - 1};
  const CellCase test(cell_of(RecursiveModel::dag_rnn), 1, forest_with(StructureKind::dag, {doubled}));
  const PlainTensors out = test.forward();
  const double U = *test.in.at<double>("U"), b = *test.in.at<double>("b");
  double h = 0;
  for (int i = 0; i < 60; ++i) {
    h = std::tanh(test.in.at<double>("x")[i] + 2 * h * U + b);
    EXPECT_NEAR(out.at<double>("h")[i], h, 1e-13);
  }
}

TEST(RecursiveDefinition, TakesStructuresOfAnyHeight) {
  const CellCase trees(cell_of(RecursiveModel::tree_lstm), 2, sequences(2, 10000));
  const CellCase steps(cell_of(RecursiveModel::lstm), 2, sequences(2, 1000));
  for (const CellCase* test : {&trees, &steps}) {
    for (const PlainTensors& out : {test->forward(), test->backward()}) {
      for (std::size_t i = 0; i < out.infos().size(); ++i) {
        EXPECT_TRUE(std::ranges::all_of(out.values<double>(i), [](double x) { return std::isfinite(x); }));
      }
    }
  }
}

TEST(RecursiveDefinition, TheOrderOfChildrenMattersToCellsWithPositions) {
  const auto root_of = [](RecursiveModel model, const ChildrenLists& tree) {
    const CellCase test(cell_of(model), 3, forest_with(StructureKind::tree, {tree}));
    return test.forward().at<double>(test.cell.states()[0].name)[0];
  };
  const ChildrenLists tree{{1, 2}, {}, {3, 4}, {}, {}}, swapped{{2, 1}, {}, {3, 4}, {}, {}};
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    if (cell.most_children() == 1) continue;
    const double difference = std::abs(root_of(model.model, tree) - root_of(model.model, swapped));
    if (cell.positions() > 0) {
      EXPECT_GT(difference, 1e-3) << model.name;
    } else {
      EXPECT_LT(difference, 1e-14) << model.name;
    }
  }
}

// A node lies above itself.
bool lies_above(const Forest& forest, std::int32_t node, std::int32_t below) {
  if (node == below) return true;
  for (const std::int32_t child : forest.children_of(node)) {
    if (lies_above(forest, child, below)) return true;
  }
  return false;
}

TEST(RecursiveDefinition, NanReachesTheAncestorsOfItsNodeOnly) {
  const ChildrenLists tree{{1, 2}, {3, 4}, {5, 6}, {}, {}, {}, {7, 8}, {}, {}}, sequence{{1}, {2}, {3}, {}};
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    const ChildrenLists& structure = cell.most_children() == 1 ? sequence : tree;
    const Forest forest = forest_with(cell.kind(), {structure, structure});
    for (std::int32_t node = 0, leaf = 0; node < forest.nodes(); ++node) {
      const bool is_leaf = forest.children_of(node).empty();
      CellCase test(cell, 2, forest);
      for (const Cell::Input& input : cell.inputs()) {
        if (input.of_leaves && !is_leaf) continue;
        const std::int64_t size = input.matrix ? 4 : 2;
        std::fill_n(test.in.at<double>(input.name) + (input.of_leaves ? leaf : node) * size, size, std::nan(""));
      }
      if (is_leaf) ++leaf;
      if (cell.inputs()[0].of_leaves && !is_leaf) continue;
      const PlainTensors out = test.forward();
      for (std::int32_t at = 0; at < forest.nodes(); ++at) {
        const double h = out.at<double>(cell.states()[0].name)[at * 2];
        EXPECT_EQ(std::isnan(h), lies_above(forest, at, node)) << model.name << " " << node << " " << at;
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
